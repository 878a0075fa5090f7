// Everything that a view hands out, on the tiny model.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "model/file_header.h"
#include "model/model_view.h"
#include "tests/unit/model/verify_support.h"

namespace dragoman {
namespace {

using model::ModelView;
using model::OpKind;
using model::ProgramKind;
using model::RowSpace;

TEST_CASE("tensors come with their scales and row sums") {
  const test::AlignedBytes file = test::tiny_model();
  const auto opened = ModelView::open(file.span(), {.check_contents = true});
  REQUIRE(opened.ok());
  const ModelView& view = opened.value();
  CHECK(view.revision() == 1);
  const int32_t index = view.find_tensor("embedding");
  REQUIRE(index >= 0);
  CHECK(view.find_tensor("embeddin") == -1);
  const TensorView embedding = view.tensor(static_cast<size_t>(index));
  CHECK(std::string(embedding.name) == "embedding");
  CHECK(embedding.type == ElementType::kI8);
  CHECK(embedding.rows == 24);
  CHECK(embedding.columns == 16);
  REQUIRE(embedding.scales != nullptr);
  REQUIRE(embedding.row_sums != nullptr);
  int32_t sum = 0;
  for (size_t c = 0; c < 16; ++c) sum += embedding.i8()[23 * 16 + c];
  CHECK(embedding.row_sums[23] == sum);
  const TensorView bias = view.tensor(static_cast<size_t>(view.find_tensor("logits.bias")));
  CHECK(bias.rows == 1);
  CHECK(bias.columns == 24);
  CHECK(bias.scales == nullptr);
  const model::TensorInfo info = view.tensor_info(static_cast<size_t>(index));
  CHECK(info.rank == 2);
  CHECK(info.shape[0] == 24);
  CHECK(info.bytes == 24 * 16);
  CHECK(file.span().data() + info.offset == embedding.data);
}

TEST_CASE("MF-05: padding between tensors is zero") {
  const test::AlignedBytes file = test::tiny_model();
  const auto view = ModelView::open(file.span());
  REQUIRE(view.ok());
  std::vector<bool> used(file.size(), false);
  uint64_t first = file.size();
  for (size_t i = 0; i < view.value().num_tensors(); ++i) {
    const model::TensorInfo t = view.value().tensor_info(i);
    first = std::min(first, t.offset);
    for (uint64_t b = t.offset; b < t.offset + t.bytes; ++b) used[b] = true;
  }
  for (uint64_t b = first; b < file.size(); ++b) {
    if (!used[b]) CHECK(file.span()[b] == std::byte{0});
  }
}

TEST_CASE("programs, values, nodes and states") {
  const test::AlignedBytes file = test::tiny_model();
  const auto opened = ModelView::open(file.span());
  REQUIRE(opened.ok());
  const ModelView& view = opened.value();
  const auto encode = view.program(ProgramKind::kEncode), begin = view.program(ProgramKind::kBegin);
  const auto step = view.program(ProgramKind::kStep);
  REQUIRE(encode.present());
  CHECK(encode.num_values() == 9);
  CHECK(encode.num_nodes() == 9);
  CHECK(encode.input() == -1);
  CHECK(encode.output() == 8);
  CHECK(std::string(encode.value(8).name) == "encoded");
  CHECK(encode.value(2).width == 48);
  CHECK(encode.value(2).row_space == RowSpace::kSource);
  const model::NodeInfo embed = encode.node(0), norm = encode.node(8);
  CHECK(embed.op == OpKind::kEmbed);
  CHECK(embed.inputs.empty());
  CHECK(static_cast<const schema::Embed*>(embed.options)->scale() == 4.0f);
  CHECK(norm.op == OpKind::kLayerNorm);
  REQUIRE(norm.inputs.size() == 2);
  CHECK(norm.inputs[0] == 7);
  CHECK(norm.outputs[0] == 8);
  CHECK(begin.input() == 0);
  CHECK(begin.value(1).state == 0);
  CHECK(step.node(step.num_nodes() - 1).op == OpKind::kLogits);
  CHECK(step.node(step.num_nodes() - 1).outputs.empty());
  REQUIRE(view.num_states() == 2);
  CHECK(std::string(view.state(0).name) == "cross");
  CHECK(view.state(0).width == 32);
  CHECK(view.state(1).row_space == RowSpace::kHypothesis);
  CHECK(view.source_vocabulary() == 24);
  CHECK(view.target_vocabulary() == 24);
  CHECK(view.max_source_positions() == 64);
  CHECK_FALSE(model::ProgramView().present());
  CHECK(model::ProgramView().num_nodes() == 0);
  CHECK(std::string(model::op_name(OpKind::kSsru)) == "Ssru");
  CHECK(std::string(model::row_space_name(RowSpace::kFixed)) == "fixed");
  CHECK(std::string(model::program_name(ProgramKind::kBegin)) == "begin");
}

TEST_CASE("texts, generation defaults, shortlist, tokenizers") {
  const test::AlignedBytes file = test::tiny_model();
  const auto opened = ModelView::open(file.span());
  REQUIRE(opened.ok());
  const ModelView& view = opened.value();
  CHECK(view.name() == "tiny");
  CHECK(view.licence() == "Apache-2.0");
  CHECK(view.family() == "test");
  CHECK(view.converter() == "model_builder");
  CHECK(view.conversion_options().empty());
  REQUIRE(view.num_source_files() == 1);
  CHECK(view.source_file(0) == "weights.bin");
  CHECK(view.source_checksum(0) == std::string(64, '0'));
  REQUIRE(view.num_source_languages() == 1);
  CHECK(std::string_view(view.source_language(0).code) == "en");
  REQUIRE(view.num_target_languages() == 1);
  CHECK(std::string_view(view.target_language(0).code) == "pt-BR");
  const model::GenerationDefaults g = view.generation();
  CHECK(g.end_id == 0);
  CHECK(g.unknown_id == 1);
  CHECK(g.start_id == -1);
  REQUIRE(g.suppressed.size() == 1);
  CHECK(g.suppressed[0] == 1);
  CHECK(g.max_length_factor == 2.0f);
  CHECK(g.append_end);
  const model::ShortlistView s = view.shortlist();
  REQUIRE(s.present());
  CHECK(s.offsets.size() == 25);
  CHECK(s.offsets[24] == s.ids.size());
  CHECK(s.always == 4);
  CHECK(s.multiple == 8);
  CHECK(s.copy_source);
  CHECK(view.source_tokenizer() != nullptr);
  CHECK(view.target_tokenizer() == view.source_tokenizer());
}

TEST_CASE("what is optional may be absent") {
  test::ModelBuilder b = test::tiny_model_builder();
  b.model.shortlist.reset();
  b.model.provenance.reset();
  b.model.name.clear();
  b.model.source_languages.clear();
  b.model.generation->suppressed.clear();
  const test::AlignedBytes file = b.finish();
  const auto view = ModelView::open(file.span());
  REQUIRE(view.ok());
  CHECK_FALSE(view.value().shortlist().present());
  CHECK(view.value().family().empty());
  CHECK(view.value().num_source_files() == 0);
  CHECK(view.value().num_source_languages() == 0);
  CHECK(view.value().generation().suppressed.empty());
}

TEST_CASE("an encoder alone is a model") {
  test::ModelBuilder b = test::tiny_model_builder();
  b.model.graph->begin.reset();
  b.model.graph->step.reset();
  const test::AlignedBytes file = b.finish();
  const auto view = ModelView::open(file.span());
  REQUIRE(view.ok());
  CHECK_FALSE(view.value().program(ProgramKind::kStep).present());
}

}  // namespace
}  // namespace dragoman
