// The programs that a model's options lead to: names, order, states; every variant passes the loader's checks.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

using Names = std::vector<std::string>;
using schema::Op;

std::vector<Op> ops_of(const schema::ProgramT& program) {
  std::vector<Op> ops;
  for (const auto& node : program.nodes) ops.push_back(node->op.type);
  return ops;
}

size_t count(const schema::ProgramT& program, Op op) {
  const std::vector<Op> ops = ops_of(program);
  return static_cast<size_t>(std::count(ops.begin(), ops.end(), op));
}

TEST_CASE("a student's values have the names that other tests look for", "[graph]") {
  const TemporaryFolder folder;
  const ConvertedModel model = convert_made_up(folder, {});
  const schema::GraphT& graph = *model.description().graph;
  CHECK(ConvertedModel::value_names(*graph.encode) ==
        Names{"encoder.words", "encoder.embedding", "encoder.layer1.qkv", "encoder.layer1.self",
              "encoder.layer1.self_out", "encoder.layer1.after_self", "encoder.layer1.ffn_hidden1",
              "encoder.layer1.ffn_out", "encoder.layer1", "encoder.layer2.qkv", "encoder.layer2.self",
              "encoder.layer2.self_out", "encoder.layer2.after_self", "encoder.layer2.ffn_hidden1",
              "encoder.layer2.ffn_out", "encoder.layer2"});
  CHECK(ConvertedModel::value_names(*graph.begin) == Names{"context", "cross_kv"});
  CHECK(ConvertedModel::value_names(*graph.step) == Names{"decoder.words",
                                                          "decoder.embedding",
                                                          "decoder.layer1.rnn_in",
                                                          "decoder.layer1.ssru",
                                                          "decoder.layer1.after_rnn",
                                                          "decoder.layer1.query",
                                                          "decoder.layer1.cross",
                                                          "decoder.layer1.cross_out",
                                                          "decoder.layer1.after_cross",
                                                          "decoder.layer1.ffn_hidden1",
                                                          "decoder.layer1.ffn_out",
                                                          "decoder.layer1",
                                                          "decoder.layer2.rnn_in",
                                                          "decoder.layer2.ssru",
                                                          "decoder.layer2.after_rnn",
                                                          "decoder.layer2.query",
                                                          "decoder.layer2.cross",
                                                          "decoder.layer2.cross_out",
                                                          "decoder.layer2.after_cross",
                                                          "decoder.layer2.ffn_hidden1",
                                                          "decoder.layer2.ffn_out",
                                                          "hidden"});
}

TEST_CASE("a student's programs and states", "[graph]") {
  const TemporaryFolder folder;
  const ConvertedModel model = convert_made_up(folder, {});
  const schema::GraphT& graph = *model.description().graph;
  const std::vector<Op> layer = {Op::Linear, Op::SelfAttention, Op::Linear,   Op::LayerNorm,
                                 Op::Linear, Op::Linear,        Op::LayerNorm};
  std::vector<Op> expected = {Op::Embed, Op::PositionTable};
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), layer.begin(), layer.end());
  CHECK(ops_of(*graph.encode) == expected);
  for (const auto& node : graph.encode->nodes) {
    if (node->op.type == Op::LayerNorm) CHECK(node->inputs.size() == 2);
  }
  REQUIRE(graph.states.size() == 3);
  CHECK(graph.states[0]->name == "cross_kv");
  CHECK(graph.states[0]->width == 4 * 24);
  CHECK(graph.states[1]->name == "decoder.layer1.cell");
  CHECK(graph.states[2]->row_space == schema::RowSpace::Hypothesis);
  CHECK(graph.max_source_positions == 1024);
  CHECK(graph.encode->nodes[6]->op.AsLinear()->activation == schema::Activation::Relu);
  CHECK(graph.encode->nodes[7]->op.AsLinear()->activation == schema::Activation::None);
  for (const auto& node : graph.step->nodes) {
    if (node->op.type != Op::CrossAttention) continue;
    CHECK(node->op.AsCrossAttention()->value_offset == node->op.AsCrossAttention()->key_offset + 24);
  }
}

TEST_CASE("pre-norm models norm before and add after", "[graph]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.preprocess = "n";
  options.postprocess = "da";
  options.postprocess_embedding = "nd";
  options.postprocess_top = "n";
  const ConvertedModel model = convert_made_up(folder, options);
  const schema::GraphT& graph = *model.description().graph;
  CHECK(count(*graph.encode, Op::Add) == 4);
  CHECK(count(*graph.encode, Op::LayerNorm) == 6);
  CHECK(count(*graph.step, Op::Add) == 6);
  CHECK(count(*graph.step, Op::LayerNorm) == 8);
  const MarianModel trained = make_marian_model(options);
  CHECK(model.values("decoder.layer1.rnn.prenorm.scale") == trained.find("decoder_l1_rnn_ln_scale_pre").values);
  CHECK(model.values("encoder.embedding_norm.bias") == trained.find("encoder_emb_ln_bias_pre").values);
  CHECK(model.values("decoder.top_norm.scale") == trained.find("decoder_top_ln_scale").values);
}

TEST_CASE("the top of a stack can add the embeddings", "[graph]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.postprocess_top = "an";
  const ConvertedModel model = convert_made_up(folder, options);
  const schema::NodeT& last = *model.description().graph->encode->nodes.back();
  REQUIRE(last.inputs.size() == 2);
  CHECK(model.description().graph->encode->values[last.inputs[1]]->name == "encoder.embedding");
}

TEST_CASE("every activation, depth and tying passes the loader", "[graph]") {
  for (const MarianTying tying : {MarianTying::kAll, MarianTying::kInputs, MarianTying::kOutput, MarianTying::kNone}) {
    const TemporaryFolder folder;
    MarianModelOptions options;
    options.tying = tying;
    options.activation = tying == MarianTying::kAll ? "swish" : "gelu";
    options.ffn_depth = 1 + static_cast<uint32_t>(tying);
    options.encoder_depth = 3;
    options.decoder_depth = 1;
    options.output_bias = tying != MarianTying::kNone;
    options.seed = 5;
    const ConvertedModel model = convert_made_up(folder, options);
    const bool own_output = tying == MarianTying::kInputs || tying == MarianTying::kNone;
    CHECK(model.has("output.weight") == own_output);
    CHECK(model.has("source_embedding") == (tying == MarianTying::kOutput || tying == MarianTying::kNone));
    CHECK(model.has("output.bias") == options.output_bias);
    CHECK((model.description().graph->step->nodes.back()->op.AsLogits()->bias >= 0) == options.output_bias);
    const uint32_t output = model.description().graph->step->nodes.back()->op.AsLogits()->weight;
    CHECK(model.description().tensors[output]->row_sums >= 0);
  }
}

TEST_CASE("without projection there is no Wo", "[graph]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.project_attention = false;
  const ConvertedModel model = convert_made_up(folder, options);
  CHECK_FALSE(model.has("encoder.layer1.self.output.weight"));
  CHECK(count(*model.description().graph->encode, Op::Linear) == 6);
}

TEST_CASE("tied decoder layers share weights and cross keys, not cells", "[graph]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.decoder_depth = 3;
  options.tied_layers = {1, 2, 1};
  const ConvertedModel model = convert_made_up(folder, options);
  const schema::GraphT& graph = *model.description().graph;
  CHECK(graph.states[0]->width == 4 * 24);
  CHECK(graph.states.size() == 4);
  std::vector<uint32_t> offsets, weights;
  for (const auto& node : graph.step->nodes) {
    if (node->op.type == Op::CrossAttention) offsets.push_back(node->op.AsCrossAttention()->key_offset);
    if (node->op.type == Op::Linear) weights.push_back(node->op.AsLinear()->weight);
  }
  CHECK(offsets == std::vector<uint32_t>{0, 48, 0});
  REQUIRE(weights.size() == 15);
  CHECK(weights[0] == weights[10]);
  CHECK(weights[0] != weights[5]);
}

TEST_CASE("trained positions: no factor on the embedding, the last row for all beyond", "[graph]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.trained_positions = 11;
  converter::ConvertOptions limits;
  limits.max_positions = 40;
  const ConvertedModel model = convert_made_up(folder, options, limits);
  const std::vector<float> trained = make_marian_model(options).find("Wpos").values;
  const std::vector<float> stored = model.values("positions");
  REQUIRE(stored.size() == size_t{40} * 24);
  CHECK(std::equal(trained.begin(), trained.end(), stored.begin()));
  CHECK(std::equal(trained.end() - 24, trained.end(), stored.end() - 24));
  CHECK(model.description().graph->encode->nodes[0]->op.AsEmbed()->scale == 1.0f);
  CHECK(model.description().graph->max_target_positions == 40);
}

TEST_CASE("RT-04 sizes that no vector width divides", "[graph]") {
  for (const uint32_t vocabulary : {1001u, 1004u}) {
    const TemporaryFolder folder;
    MarianModelOptions options;
    options.width = 20;
    options.num_heads = 5;
    options.ffn_width = 36;
    options.source_vocabulary = options.target_vocabulary = vocabulary;
    options.output_bias_middle = -50;
    const ConvertedModel model = convert_made_up(folder, options);
    CHECK(model.description().graph->target_vocabulary == vocabulary);
    CHECK(model.tensor("embedding").rows == vocabulary);
    CHECK(model.description().shortlist->always == 7);
  }
}

}  // namespace
}  // namespace dragoman::test
