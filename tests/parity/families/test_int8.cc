// What int8 costs, family by family: the weights' error is exactly that of rounding each row to its own step, and the
// activations' error follows from their steps. Neighbours: test_families.cc shows that f32 is right.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/parity/families/recording.h"
#include "tests/support/hugging_face_folder.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::FolderTensor;
using test::HuggingFaceFolder;
using test::Ids;

// Straightforward: one step a row, max|v| / 127, to the nearest multiple.
void round_rows(FolderTensor* tensor) {
  const size_t columns = tensor->shape[1];
  for (size_t row = 0; row < tensor->shape[0]; ++row) {
    const auto values = std::span(tensor->values).subspan(row * columns, columns);
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::fabs(value));
    if (largest == 0) continue;
    const float step = largest / 127.0f;
    for (float& value : values) {
      value = static_cast<float>(std::nearbyint(static_cast<double>(value) / static_cast<double>(step))) * step;
    }
  }
}

bool is_weight(const std::string& name, const FolderTensor& tensor) {
  return tensor.shape.size() == 2 && tensor.shape[0] > 1 && name.find("embed_positions") == std::string::npos &&
         name.find("relative_attention_bias") == std::string::npos;
}

FamilyModel open(HuggingFaceFolder& folder, bool keep_float, ops::Compute compute) {
  converter::ConvertOptions options;
  options.input = folder.write();
  options.weight_type = keep_float ? converter::WeightType::kF32 : converter::WeightType::kInt8;
  return FamilyModel(options, compute);
}

// The root mean square of a - b, over that of b.
double relative_noise(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size());
  double squares = 0, all = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - b[i];
    squares += d * d;
    all += static_cast<double>(b[i]) * b[i];
  }
  return std::sqrt(squares / all);
}

struct Input {
  Ids source, target;
};

std::vector<Input> inputs_of(const std::string& family) {
  const json recorded = test::read_recording(std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family + "/reference.json");
  std::vector<Input> inputs;
  for (const Ids& source : test::recorded_sources(recorded)) {
    inputs.push_back({source, test::recorded_target(recorded, inputs.size())});
  }
  return inputs;
}

// All logits of all inputs.
std::vector<float> logits_of(FamilyModel& model, const std::vector<Input>& inputs) {
  std::vector<float> logits;
  for (const Input& input : inputs) {
    const std::vector<float> more = model.forced_logits(input.source, input.target);
    logits.insert(logits.end(), more.begin(), more.end());
  }
  return logits;
}

TEST_CASE("int8 weights compute what rounded weights compute, every family", "[families]") {
  const std::string family = GENERATE("marian", "bart", "m2m100", "t5", "t5-v1_1", "mt5");
  const std::vector<Input> inputs = inputs_of(family);
  HuggingFaceFolder folder(std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family);
  FamilyModel exact_model = open(folder, true, ops::Compute::kF32);
  FamilyModel int8_in_float = open(folder, false, ops::Compute::kF32);
  FamilyModel int8_model = open(folder, false, ops::Compute::kInt8);
  for (auto& [name, tensor] : folder.tensors) {
    if (is_weight(name, tensor)) round_rows(&tensor);
  }
  FamilyModel rounded_model = open(folder, true, ops::Compute::kF32);

  const std::vector<float> exact = logits_of(exact_model, inputs), rounded = logits_of(rounded_model, inputs);
  const std::vector<float> in_float = logits_of(int8_in_float, inputs), int8 = logits_of(int8_model, inputs);
  // A factor folded into a row may turn a weight that lies half-way between two steps the other way: 4e-4 was seen.
  CHECK(test::distance(in_float, rounded) <= 1e-3);
  const double weights = relative_noise(rounded, exact);
  const double activations = relative_noise(int8, in_float);
  CAPTURE(weights, activations);
  CHECK(weights > 0);
  CHECK(activations > 0);
  // An activation's step is (largest - smallest) / 255 of its row, zero included, and at most 2 max|x| / 255: no
  // larger, relative to max|x|, than a weight's step of 2 max|w| / 254. So each product takes at most as much relative
  // noise from its activations as from its weights, and the noise of products adds up alike.
  CHECK(activations <= weights);
}

}  // namespace
}  // namespace dragoman
