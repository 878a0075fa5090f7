// Nodes whose options, widths or tensors do not fit together are refused by name before anything is allocated.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <memory>
#include <string>

#include "graph/lowering.h"
#include "tests/support/model_builder.h"

namespace dragoman::ops {
namespace {

using Catch::Matchers::ContainsSubstring;
using schema::RowSpace;
using test::ModelBuilder;

// The tiny model with one more node in front of the last one: reads a value of width `in`, writes one of width `out`.
struct Extra {
  explicit Extra(uint32_t in, uint32_t out) : b(test::tiny_model_builder()) {
    schema::ProgramT& step = *b.model.graph->step;
    const uint32_t x = value("x in", in), y = value("y out", out);
    schema::LinearT widen;
    widen.weight = b.add_int8("widen", in, 16);
    step.nodes.insert(step.nodes.end() - 1, node(widen, {0}, {x}));
    input = x;
    output = y;
  }

  uint32_t value(const std::string& name, uint32_t width) {
    auto v = std::make_unique<schema::ValueT>();
    v->name = name;
    v->row_space = RowSpace::Hypothesis;
    v->width = width;
    v->state = -1;
    b.model.graph->step->values.push_back(std::move(v));
    return static_cast<uint32_t>(b.model.graph->step->values.size() - 1);
  }

  template <typename Options>
  static std::unique_ptr<schema::NodeT> node(Options options, std::vector<uint32_t> inputs,
                                             std::vector<uint32_t> outputs) {
    auto n = std::make_unique<schema::NodeT>();
    n->op.Set(std::move(options));
    n->inputs = std::move(inputs);
    n->outputs = std::move(outputs);
    return n;
  }

  uint32_t cache(uint32_t width, schema::StateKind kind = schema::StateKind::PositionCache) {
    auto state = std::make_unique<schema::StateT>();
    state->name = "cache";
    state->row_space = RowSpace::Hypothesis;
    state->width = width;
    state->kind = kind;
    b.model.graph->states.push_back(std::move(state));
    return static_cast<uint32_t>(b.model.graph->states.size() - 1);
  }

  template <typename Options>
  std::string lower(Options options) {
    schema::ProgramT& step = *b.model.graph->step;
    step.nodes.insert(step.nodes.end() - 1, node(options, {input}, {output}));
    const test::AlignedBytes file = b.finish();
    const Result<model::ModelView> view = model::ModelView::open(file.span());
    if (!view.ok()) return view.status().message();
    graph::LoweredGraph graph(view.value());
    const Status status = graph::lower(Compute::kInt8, &graph);
    return status.ok() ? "" : status.message();
  }

  ModelBuilder b;
  uint32_t input = 0, output = 0;
};

struct Heads {
  uint32_t num_heads = 4;
  uint32_t key_value_heads = 0;
  uint32_t cache_width = 32;
  schema::StateKind kind = schema::StateKind::PositionCache;
  int32_t relative_bias = -1;
};

std::string lower_cached(uint32_t in, const Heads& heads) {
  Extra extra(in, 16);
  schema::CachedSelfAttentionT options;
  options.num_heads = heads.num_heads;
  options.key_value_heads = heads.key_value_heads;
  options.state = extra.cache(heads.cache_width, heads.kind);
  if (heads.relative_bias > 0) {
    options.relative_bias =
        static_cast<int32_t>(extra.b.add_f32("bias", {static_cast<uint64_t>(heads.relative_bias), 5}, 1.0f));
  }
  return extra.lower(options);
}

TEST_CASE("CachedSelfAttention checks heads, widths, its state and its bias") {
  CHECK(lower_cached(48, {}).empty());
  CHECK(lower_cached(24, {.key_value_heads = 1, .cache_width = 8}).empty());
  CHECK(lower_cached(48, {.relative_bias = 4}).empty());
  CHECK_THAT(lower_cached(48, {.num_heads = 5}), ContainsSubstring("5 heads do not divide"));
  CHECK_THAT(lower_cached(48, {.num_heads = 0}), ContainsSubstring("0 heads"));
  CHECK_THAT(lower_cached(48, {.key_value_heads = 3}), ContainsSubstring("3 key-value heads do not divide 4"));
  CHECK_THAT(lower_cached(48, {.key_value_heads = 8}), ContainsSubstring("8 key-value heads do not divide 4"));
  CHECK_THAT(lower_cached(48, {.key_value_heads = 2}), ContainsSubstring("expected queries, keys and values of 32"));
  CHECK_THAT(lower_cached(48, {.cache_width = 16}), ContainsSubstring("position cache of width 32"));
  CHECK_THAT(lower_cached(48, {.kind = schema::StateKind::Rows}), ContainsSubstring("position cache of width 32"));
  CHECK_THAT(lower_cached(48, {.cache_width = 33}), ContainsSubstring("even width"));
  CHECK_THAT(lower_cached(48, {.relative_bias = 3}), ContainsSubstring("expected [4, 0]"));
}

TEST_CASE("a cache is no state for other operators") {
  Extra extra(32, 16);
  schema::SsruT ssru;
  ssru.state = extra.cache(16);
  CHECK_THAT(extra.lower(ssru), ContainsSubstring("Ssru: state 'cache'"));
}

TEST_CASE("GatedLinearUnit, RmsNorm and Mul check their shapes") {
  schema::GatedLinearUnitT gated;
  gated.activation = schema::Activation::GeluErf;
  CHECK(Extra(32, 16).lower(gated).empty());
  CHECK_THAT(Extra(24, 16).lower(gated), ContainsSubstring("input width 24, expected 2 x 16"));
  gated.activation = schema::Activation::None;
  CHECK_THAT(Extra(32, 16).lower(gated), ContainsSubstring("unknown activation"));

  Extra wide(24, 16), right(16, 16);
  schema::RmsNormT norm;
  norm.epsilon = 1e-6f;
  norm.scale = wide.b.add_f32("scale", {16}, 1.0f);
  CHECK_THAT(wide.lower(norm), ContainsSubstring("input 0 has width 24"));
  norm.scale = right.b.add_f32("scale", {12}, 1.0f);
  CHECK_THAT(right.lower(norm), ContainsSubstring("expected [1, 16]"));
  Extra flat(16, 16);
  norm.scale = flat.b.add_f32("scale", {16}, 1.0f);
  norm.epsilon = 0.0f;
  CHECK_THAT(flat.lower(norm), ContainsSubstring("epsilon"));
  CHECK_THAT(Extra(16, 16).lower(schema::MulT()), ContainsSubstring("found 1 inputs, expected 2"));
}

TEST_CASE("a relative bias has a column in the middle and a row a head") {
  for (const auto& [rows, columns, message] :
       {std::tuple{2, 7, ""}, std::tuple{2, 6, "odd number"}, std::tuple{3, 7, "expected [2, 0]"}}) {
    ModelBuilder b = test::tiny_model_builder();
    const uint32_t bias = b.add_f32("bias", {static_cast<uint64_t>(rows), static_cast<uint64_t>(columns)}, 1.0f);
    for (auto& node : b.model.graph->encode->nodes) {
      if (node->op.type != schema::Op::SelfAttention) continue;
      node->op.AsSelfAttention()->relative_bias = static_cast<int32_t>(bias);
    }
    const test::AlignedBytes file = b.finish();
    const Result<model::ModelView> view = model::ModelView::open(file.span());
    REQUIRE(view.ok());
    graph::LoweredGraph graph(view.value());
    const Status status = graph::lower(Compute::kInt8, &graph);
    CHECK(status.ok() == (*message == '\0'));
    if (!status.ok()) CHECK_THAT(status.message(), ContainsSubstring(message));
  }
}

}  // namespace
}  // namespace dragoman::ops
