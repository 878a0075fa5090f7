// Programs, values, nodes and states with one thing wrong at a time.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/unit/model/verify_support.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using schema::RowSpace;
using test::BadModel;
using test::ModelBuilder;

schema::ProgramT& encode(ModelBuilder& b) { return *b.model.graph->encode; }
schema::ProgramT& begin(ModelBuilder& b) { return *b.model.graph->begin; }
schema::ProgramT& step(ModelBuilder& b) { return *b.model.graph->step; }

const BadModel kBadModels[] = {
    {"no programs",
     [](ModelBuilder& b) { b.model.graph->encode.reset(), b.model.graph->begin.reset(), b.model.graph->step.reset(); },
     "neither encode nor a step"},
    {"begin without encode", [](ModelBuilder& b) { b.model.graph->encode.reset(); }, "neither encode nor a step"},
    {"no nodes", [](ModelBuilder& b) { encode(b).nodes.clear(); }, "encode: found no nodes"},
    {"value without name", [](ModelBuilder& b) { encode(b).values[2]->name = ""; }, "value 2: found a name"},
    {"width 0", [](ModelBuilder& b) { encode(b).values[2]->width = 0; }, "'qkv': found width 0"},
    {"width above the limit", [](ModelBuilder& b) { encode(b).values[2]->width = (1u << 20) + 1; }, "width 1048577"},
    {"unknown row space", [](ModelBuilder& b) { encode(b).values[2]->row_space = static_cast<RowSpace>(7); },
     "row space 7"},
    {"hypotheses in encode", [](ModelBuilder& b) { encode(b).values[2]->row_space = RowSpace::Hypothesis; },
     "row space 1"},
    {"source rows in step", [](ModelBuilder& b) { step(b).values[2]->row_space = RowSpace::Source; }, "row space 0"},
    {"fixed rows without Fixed", [](ModelBuilder& b) { encode(b).values[2]->fixed_rows = 5; }, "5 fixed rows"},
    {"Fixed without rows", [](ModelBuilder& b) { encode(b).values[2]->row_space = RowSpace::Fixed; }, "0 fixed rows"},
    {"state out of range", [](ModelBuilder& b) { begin(b).values[1]->state = 2; }, "found state 2 of 2"},
    {"state negative", [](ModelBuilder& b) { begin(b).values[1]->state = -7; }, "found state -7 of 2"},
    {"state of another width", [](ModelBuilder& b) { b.model.graph->states[0]->width = 31; },
     "its state 'cross' has 31"},
    {"state of other rows", [](ModelBuilder& b) { begin(b).values[1]->state = 1; }, "its state 'cell'"},
    {"one state, two values",
     [](ModelBuilder& b) {
       encode(b).values[1]->state = encode(b).values[3]->state = 0, b.model.graph->states[0]->width = 16;
     },
     "another value lives in its state 0"},
    {"state of fixed rows", [](ModelBuilder& b) { b.model.graph->states[0]->row_space = RowSpace::Fixed; },
     "row space 3"},
    {"state of unknown kind",
     [](ModelBuilder& b) { b.model.graph->states[1]->kind = static_cast<schema::StateKind>(2); }, "'cell': kind 2",
     Code::kUnsupported},
    {"cache of source rows", [](ModelBuilder& b) { b.model.graph->states[0]->kind = schema::StateKind::PositionCache; },
     "'cross': a position cache has hypothesis rows"},
    {"cache of odd width",
     [](ModelBuilder& b) {
       b.model.graph->states[1]->kind = schema::StateKind::PositionCache, b.model.graph->states[1]->width = 15;
     },
     "found 15"},
    {"value in a cache",
     [](ModelBuilder& b) {
       b.model.graph->states[1]->kind = schema::StateKind::PositionCache, step(b).values[1]->state = 1;
     },
     "its state 'cell' is a position cache"},
    {"one cache, two nodes",
     [](ModelBuilder& b) {
       b.model.graph->states[1]->kind = schema::StateKind::PositionCache, b.model.graph->states[1]->width = 32;
       for (const size_t node : {size_t{2}, size_t{3}}) {
         schema::CachedSelfAttentionT attention;
         attention.state = 1;
         step(b).nodes[node]->op.Set(schema::CachedSelfAttentionT(attention));
       }
     },
     "step, node 3 (CachedSelfAttention): another node fills its state 'cell' already"},
    {"state of width 0", [](ModelBuilder& b) { b.model.graph->states[1]->width = 0; }, "'cell': found width 0"},
    {"input out of range", [](ModelBuilder& b) { encode(b).nodes[1]->inputs = {9}; },
     "encode, node 1 (PositionTable): reads value 9 of 9, which does not exist"},
    {"read before written", [](ModelBuilder& b) { encode(b).nodes[1]->inputs = {5}; }, "which was not written before"},
    {"output out of range", [](ModelBuilder& b) { encode(b).nodes[1]->outputs = {4000000000u}; },
     "writes value 4000000000"},
    {"written twice", [](ModelBuilder& b) { encode(b).nodes[2]->outputs = {1}; },
     "writes value 1 of 9, which was written"},
    {"in place", [](ModelBuilder& b) { encode(b).nodes[1]->outputs = {0}; }, "which was written before"},
    {"input written by a node", [](ModelBuilder& b) { begin(b).input = 1; },
     "reads value 0 of 2, which was not written"},
    {"never written",
     [](ModelBuilder& b) { encode(b).values.push_back(std::make_unique<schema::ValueT>(*encode(b).values[0])); },
     "value 'embedded' is never written"},
    {"too many inputs", [](ModelBuilder& b) { encode(b).nodes[1]->inputs.assign(17, 0); }, "found 17 inputs"},
    {"input index", [](ModelBuilder& b) { begin(b).input = 2; }, "begin: its input is value 2 of 2"},
    {"output index", [](ModelBuilder& b) { encode(b).output = -2; }, "encode: its output is value -2 of 9"},
    {"input of the first program",
     [](ModelBuilder& b) { encode(b).input = 0, encode(b).nodes.erase(encode(b).nodes.begin()); },
     "encode: it has an input"},
    {"nothing to hand over", [](ModelBuilder& b) { encode(b).output = -1; }, "begin: it has an input"},
    {"hand over another width", [](ModelBuilder& b) { encode(b).output = 2; },
     "'encoded' has width 16, what it is given has 48"},
    {"Logits in the middle", [](ModelBuilder& b) { std::swap(step(b).nodes[8], step(b).nodes[9]); },
     "step, node 8 (Logits)"},
    {"no Logits", [](ModelBuilder& b) { step(b).nodes.pop_back(); }, "step, node 8 (LayerNorm): expected Logits"},
    {"Logits with output", [](ModelBuilder& b) { step(b).nodes[9]->outputs = {0}; }, "without outputs"},
    {"no source ids' tokenizer", [](ModelBuilder& b) { b.model.source_tokenizer.reset(); }, "tokenizer: found none"},
};

TEST_CASE("a wrong network is refused, naming program, node and value") {
  for (const BadModel& bad : kBadModels) {
    CAPTURE(bad.what);
    const Status status = test::open_changed(bad.change);
    CHECK(status.code() == bad.code);
    CHECK_THAT(status.message(), ContainsSubstring(bad.message));
  }
}

TEST_CASE("an operator that this library does not know is refused") {
  for (const uint8_t op : {uint8_t{0}, uint8_t{model::kNumOpKinds}, uint8_t{255}}) {
    CAPTURE(op);
    test::AlignedBytes file = test::tiny_model();
    const schema::Node* node = schema::GetModel(file.span().data() + 64)->graph()->encode()->nodes()->Get(2);
    auto* table = const_cast<flatbuffers::Table*>(reinterpret_cast<const flatbuffers::Table*>(node));
    REQUIRE(table->SetField<uint8_t>(schema::Node::VT_OP_TYPE, op, 0));
    const Status status = test::open_status(file);
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), ContainsSubstring("encode, node 2: operator " + std::to_string(op)));
  }
}

TEST_CASE("too many values, nodes and states are refused") {
  const auto many_values = [](ModelBuilder& b) {
    while (encode(b).values.size() <= 16384)
      encode(b).values.push_back(std::make_unique<schema::ValueT>(*encode(b).values[0]));
  };
  CHECK_THAT(test::open_changed(many_values).message(), ContainsSubstring("16385 values"));
  const auto many_nodes = [](ModelBuilder& b) {
    while (encode(b).nodes.size() <= 16384)
      encode(b).nodes.push_back(std::make_unique<schema::NodeT>(*encode(b).nodes[0]));
  };
  CHECK_THAT(test::open_changed(many_nodes).message(), ContainsSubstring("16385 nodes"));
  const auto many_states = [](ModelBuilder& b) {
    while (b.model.graph->states.size() <= 4096) {
      b.model.graph->states.push_back(std::make_unique<schema::StateT>(*b.model.graph->states[0]));
    }
  };
  CHECK_THAT(test::open_changed(many_states).message(), ContainsSubstring("4097 states"));
}

}  // namespace
}  // namespace dragoman
