// Numbers survive the conversion: fused and scaled weights against the trained ones, for every stored form.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

// One trained weight inside a fused one: from `first_row` on, times `factor`.
struct Part {
  std::string weight;
  std::string bias;  // empty: zeros
  double factor = 1;
};

// Largest |stored - trained * factor| over all rows, relative to the largest trained value of its row.
double largest_error(const MarianModel& trained, const ConvertedModel& converted, const std::string& name,
                     const std::vector<Part>& parts) {
  const TensorView tensor = converted.tensor(name + ".weight");
  const std::vector<float> stored = converted.values(tensor);
  double worst = 0;
  size_t row = 0;
  for (const Part& part : parts) {
    const MarianParameter& parameter = trained.find(part.weight);
    REQUIRE(tensor.columns == parameter.rows);
    for (size_t output = 0; output < parameter.columns; ++output, ++row) {
      double largest = 0, error = 0;
      for (size_t input = 0; input < parameter.rows; ++input) {
        const double expected = parameter.values[input * parameter.columns + output] * part.factor;
        largest = std::max(largest, std::fabs(expected));
        error = std::max(error, std::fabs(stored[row * tensor.columns + input] - expected));
      }
      worst = std::max(worst, error / largest);
    }
  }
  CHECK(row == tensor.rows);
  return worst;
}

void check_bias(const MarianModel& trained, const ConvertedModel& converted, const std::string& name,
                const std::vector<Part>& parts) {
  const std::vector<float> stored = converted.values(name + ".bias");
  size_t at = 0;
  for (const Part& part : parts) {
    const size_t length = trained.find(part.weight).columns;
    for (size_t i = 0; i < length; ++i, ++at) {
      const double expected = part.bias.empty() ? 0.0 : trained.find(part.bias).values[i] * part.factor;
      CHECK(std::fabs(stored[at] - expected) <= 1e-7 * std::fabs(expected));
    }
  }
  CHECK(at == stored.size());
}

void check_all(const MarianModelOptions& options, const ConvertedModel& converted, double tolerance) {
  const MarianModel trained = make_marian_model(options);
  const auto head_width = options.width / options.num_heads;
  const double factor = 1 / std::sqrt(static_cast<double>(head_width));
  const auto check = [&](const std::string& name, const std::vector<Part>& parts) {
    INFO(name);
    CHECK(largest_error(trained, converted, name, parts) <= tolerance);
    check_bias(trained, converted, name, parts);
  };
  check("encoder.layer2.self.qkv", {{"encoder_l2_self_Wq", "encoder_l2_self_bq", factor},
                                    {"encoder_l2_self_Wk", "encoder_l2_self_bk"},
                                    {"encoder_l2_self_Wv", "encoder_l2_self_bv"}});
  check("encoder.layer1.self.output", {{"encoder_l1_self_Wo", "encoder_l1_self_bo"}});
  check("encoder.layer1.ffn.linear1", {{"encoder_l1_ffn_W1", "encoder_l1_ffn_b1"}});
  check("encoder.layer1.ffn.linear2", {{"encoder_l1_ffn_W2", "encoder_l1_ffn_b2"}});
  check("decoder.cross_kv", {{"decoder_l1_context_Wk", "decoder_l1_context_bk"},
                             {"decoder_l1_context_Wv", "decoder_l1_context_bv"},
                             {"decoder_l2_context_Wk", "decoder_l2_context_bk"},
                             {"decoder_l2_context_Wv", "decoder_l2_context_bv"}});
  check("decoder.layer2.rnn", {{"decoder_l2_rnn_W", ""}, {"decoder_l2_rnn_Wf", "decoder_l2_rnn_bf"}});
  check("decoder.layer1.cross.query", {{"decoder_l1_context_Wq", "decoder_l1_context_bq", factor}});
}

TEST_CASE("int8 weights keep their integers, transposed storage and all", "[fusion]") {
  const TemporaryFolder folder;
  const MarianModelOptions options;
  converter::ConvertReport report;
  const ConvertedModel converted = convert_made_up(folder, options, {}, &report);
  check_all(options, converted, 1e-6);
  CHECK(report.quantized.empty());
  CHECK(report.num_kept_int8 == 20);  // table; 2 x (qkv, Wo, W1, W2); cross_kv; 2 x (rnn, Wq, Wo, W1, W2)
  CHECK(report.fused.size() == 5);    // 2 x qkv, cross_kv, 2 x rnn
}

TEST_CASE("float weights are quantized by row and the loss is told", "[fusion]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.weights = MarianWeights::kFloat;
  converter::ConvertReport report;
  const ConvertedModel converted = convert_made_up(folder, options, {}, &report);
  check_all(options, converted, 0.5 / 127 + 1e-6);
  CHECK(report.num_kept_int8 == 0);
  REQUIRE(report.quantized.size() == 20);
  for (const converter::QuantizedWeight& weight : report.quantized) {
    INFO(weight.name);
    CHECK(weight.signal_to_noise_db > 38);
    CHECK(weight.signal_to_noise_db < 60);
  }
}

TEST_CASE("float weights can stay floats", "[fusion]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.weights = MarianWeights::kFloat;
  converter::ConvertOptions keep;
  keep.weight_type = converter::WeightType::kF32;
  const ConvertedModel converted = convert_made_up(folder, options, keep);
  CHECK(converted.tensor("embedding").type == ElementType::kF32);
  CHECK(converted.tensor("encoder.layer1.self.qkv.weight").type == ElementType::kF32);
  check_all(options, converted, 1e-7);
}

TEST_CASE("16-bit weights are read, and quantized to int8", "[fusion]") {
  const TemporaryFolder folder;
  MarianModelOptions options;
  options.weights = MarianWeights::kInt16;
  check_all(options, convert_made_up(folder, options), 0.5 / 127 + 1e-6);
}

TEST_CASE("the tied table is stored once, with scales and row sums", "[fusion]") {
  const TemporaryFolder folder;
  const MarianModelOptions options;
  const ConvertedModel converted = convert_made_up(folder, options);
  const MarianParameter table = make_marian_model(options).find("Wemb");
  const TensorView tensor = converted.tensor("embedding");
  REQUIRE(tensor.rows == 64);
  REQUIRE(tensor.row_sums != nullptr);
  CHECK(converted.values(tensor) == table.values);
  const schema::GraphT& graph = *converted.description().graph;
  const uint32_t index = graph.encode->nodes[0]->op.AsEmbed()->table;
  CHECK(graph.step->nodes[0]->op.AsEmbed()->table == index);
  CHECK(graph.step->nodes.back()->op.AsLogits()->weight == index);
  CHECK(graph.encode->nodes[0]->op.AsEmbed()->scale == std::sqrt(24.0f));
  CHECK(converted.values("output.bias") == make_marian_model(options).find("decoder_ff_logit_out_b").values);
}

}  // namespace
}  // namespace dragoman::test
