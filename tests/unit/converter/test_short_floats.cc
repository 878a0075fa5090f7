// Checkpoints in bf16 and f16: nothing passes through a type that cannot hold it, on the way in or at run time.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "converter/formats/safetensors.h"
#include "converter/frontends/source.h"
#include "converter/quantize/float_types.h"
#include "dragoman/dragoman.hpp"
#include "dragoman/observe.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

using converter::ConvertOptions;
using converter::ConvertReport;
using converter::WeightType;

constexpr float kBeyondHalf = 66246.0f;  // what a T5 in bf16 was seen to reach before its second projection

// A tensor as floats, to be stored as `type`: "F32", "F16" or "BF16".
struct EditedTensor {
  std::vector<uint64_t> shape;
  std::vector<float> values;
  std::string type;
};
using Tensors = std::map<std::string, EditedTensor>;

Tensors read_fixture(const std::string& family, const std::string& type) {
  const std::string path = std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family + "/model.safetensors";
  const std::vector<std::byte> file = read_bytes(path);
  const auto arrays = converter::read_safetensors(file, path);
  REQUIRE(arrays.ok());
  Tensors tensors;
  for (const converter::StoredArray& array : arrays.value()) {
    EditedTensor& tensor = tensors[array.name];
    tensor.shape = array.shape;
    tensor.type = type;
    tensor.values.resize(array.data.size() / sizeof(float));
    std::memcpy(tensor.values.data(), array.data.data(), array.data.size());
  }
  return tensors;
}

void append(std::vector<std::byte>* bytes, const void* data, size_t size) {
  const auto* begin = static_cast<const std::byte*>(data);
  bytes->insert(bytes->end(), begin, begin + size);
}

void write_safetensors(const std::string& path, const Tensors& tensors) {
  nlohmann::json header;
  std::vector<std::byte> data;
  for (const auto& [name, tensor] : tensors) {
    const size_t begin = data.size();
    for (const float value : tensor.values) {
      const uint16_t half =
          tensor.type == "F16" ? converter::half_from_float(value) : converter::bfloat16_from_float(value);
      if (tensor.type == "F32") {
        append(&data, &value, sizeof(value));
      } else {
        append(&data, &half, sizeof(half));
      }
    }
    header[name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::vector<std::byte> file;
  append(&file, &length, sizeof(length));
  append(&file, text.data(), text.size());
  file.insert(file.end(), data.begin(), data.end());
  write_bytes(path, file);
}

void write_folder(const TemporaryFolder& folder, const std::string& family, const Tensors& tensors) {
  for (const char* name : {"config.json", "generation_config.json"}) {
    std::filesystem::copy_file(std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family + "/" + name, folder.path(name),
                               std::filesystem::copy_options::overwrite_existing);
  }
  write_safetensors(folder.path("model.safetensors"), tensors);
}

std::string convert_as(const TemporaryFolder& folder, WeightType type) {
  ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path(std::string(weight_type_name(type)) + ".drg");
  options.weight_type = type;
  const Result<ConvertReport> report = converter::convert(options);
  INFO(report.status().message());
  REQUIRE(report.ok());
  return options.output;
}

float largest(const std::vector<float>& values) {
  float result = 0;
  for (const float value : values) result = std::max(result, std::fabs(value));
  return result;
}

// Largest magnitude of each value that a translation of a few ids computes. Fails the test when one is not finite.
std::map<std::string, float> largest_values(const std::string& path) {
  auto model = Model::open(path);
  REQUIRE(model.ok());
  SessionOptions options = Session::default_options();
  options.max_target_tokens = 8;
  auto session = Session::create(*model, options);
  REQUIRE(session.ok());
  std::map<std::string, float> result;
  const dragoman_observer observer = {
      &result, [](void* user, const char* name, const float* data, size_t rows, size_t width, size_t stride) {
        float& most = (*static_cast<std::map<std::string, float>*>(user))[name];
        for (size_t row = 0; row < rows; ++row) {
          for (size_t i = 0; i < width; ++i) {
            const float value = data[row * stride + i];
            if (!std::isfinite(value)) FAIL(name << " holds " << value);
            most = std::max(most, std::fabs(value));
          }
        }
      }};
  dragoman_session_observe(session->get(), &observer);
  const std::vector<int32_t> ids = {5, 17, 90, 3, 1};
  const dragoman_ids input = {ids.data(), ids.size()};
  TranslateOptions translate = Session::default_translate_options();
  translate.max_length = 8;
  const Error error = session->translate_ids(
      &input, 1, translate,
      [](const Segment& segment) {
        CHECK(segment.num_ids > 0);
        CHECK(std::isfinite(segment.score));
        return true;
      },
      [](const InputEnd&) { return true; });
  INFO(error.message());
  REQUIRE(error.ok());
  REQUIRE(result.size() > 20);
  dragoman_session_observe(session->get(), nullptr);
  result["after"] = 0;
  REQUIRE(session
              ->translate_ids(
                  &input, 1, translate, [](const Segment&) { return true; }, [](const InputEnd&) { return true; })
              .ok());
  CHECK(result["after"] == 0);
  return result;
}

TEST_CASE("CV-18: what bf16 holds survives, without a half in between", "[short_floats]") {
  const TemporaryFolder folder;
  Tensors tensors = read_fixture("t5-v1_1", "BF16");
  const std::string huge = "encoder.block.1.layer.1.DenseReluDense.wi_0.weight";
  const std::string large = "decoder.block.0.layer.2.DenseReluDense.wo.weight";
  tensors[huge].values[7] = 3e38f;
  tensors[large].values[3] = -1e5f;
  write_folder(folder, "t5-v1_1", tensors);
  const float stored_huge = converter::float_from_bfloat16(converter::bfloat16_from_float(3e38f));
  CHECK(converter::float_from_bfloat16(converter::bfloat16_from_float(1e5f)) == 99840.0f);
  for (const WeightType type : {WeightType::kF32, WeightType::kInt8, WeightType::kInt4, WeightType::kSource}) {
    INFO(weight_type_name(type));
    const ConvertedModel model(convert_as(folder, type));
    // Gates lie in front of the layers that they gate.
    const float first = largest(model.values("encoder.layer2.ffn.linear1.weight"));
    const float second = largest(model.values("decoder.layer1.ffn.linear2.weight"));
    const bool exact = type == WeightType::kF32 || type == WeightType::kSource;
    CHECK(std::fabs(first / stored_huge - 1) <= (exact ? 0.0f : 0.01f));
    CHECK(std::fabs(second / 99840.0f - 1) <= (exact ? 0.0f : 0.01f));
  }
  ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("half.drg");
  options.weight_type = WeightType::kF16;
  const Status status = converter::convert(options).status();
  CHECK(status.code() == Code::kNumerical);
  CHECK(std::string(status.message()).find("which f16 cannot") != std::string::npos);
}

TEST_CASE("CV-18: f16 subnormals are not flushed, and f16 is kept where asked", "[short_floats]") {
  const TemporaryFolder folder;
  Tensors tensors = read_fixture("marian", "F16");
  const std::string name = "model.encoder.layers.0.fc1.weight";
  for (float& value : tensors[name].values) value = 0x1p-24f;
  tensors[name].values[1] = -0x3p-24f;
  write_folder(folder, "marian", tensors);
  for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kSource}) {
    const ConvertedModel model(convert_as(folder, type));
    const std::vector<float> values = model.values("encoder.layer1.ffn.linear1.weight");
    CHECK(values[0] == 0x1p-24f);
    CHECK(values[1] == -0x3p-24f);
    if (type != WeightType::kSource) continue;
    CHECK(model.tensor("encoder.layer1.ffn.linear1.weight").type == ElementType::kF16);
    // The scores' scale is folded into the queries, so these would lose.
    CHECK(model.tensor("encoder.layer1.self.qkv.weight").type == ElementType::kF32);
  }
  // Subnormal as they are, such weights get a scale of their own in int8.
  const std::vector<float> values =
      ConvertedModel(convert_as(folder, WeightType::kInt8)).values("encoder.layer1.ffn.linear1.weight");
  CHECK(std::fabs(values[1] / -0x3p-24f - 1) < 1e-6f);
  CHECK(std::fabs(values[0] / 0x1p-24f - 1) < 0.01f);
}

TEST_CASE("CV-18: activations beyond the largest half stay finite in every layer", "[short_floats]") {
  const TemporaryFolder folder;
  Tensors tensors = read_fixture("t5-v1_1", "BF16");
  write_folder(folder, "t5-v1_1", tensors);
  const float usual = largest_values(convert_as(folder, WeightType::kF32)).at("encoder.layer1.ffn_hidden1");
  REQUIRE(usual > 0);
  for (float& value : tensors["encoder.block.0.layer.1.DenseReluDense.wi_1.weight"].values) {
    value *= 2 * kBeyondHalf / usual;
  }
  write_folder(folder, "t5-v1_1", tensors);
  for (const WeightType type : {WeightType::kF32, WeightType::kInt8, WeightType::kInt4}) {
    INFO(weight_type_name(type));
    CHECK(largest_values(convert_as(folder, type)).at("encoder.layer1.ffn_hidden1") > kBeyondHalf);
  }
}

// What translating a few ids says.
Error translate_few(const std::string& path, dragoman_cache_type cache) {
  auto model = Model::open(path);
  REQUIRE(model.ok());
  SessionOptions options = Session::default_options();
  options.max_target_tokens = 8;
  options.cache_type = cache;
  auto session = Session::create(*model, options);
  REQUIRE(session.ok());
  const std::vector<int32_t> ids = {5, 17, 90, 3, 1};
  const dragoman_ids input = {ids.data(), ids.size()};
  return session->translate_ids(
      &input, 1, Session::default_translate_options(), [](const Segment&) { return true; },
      [](const InputEnd&) { return true; });
}

TEST_CASE("DC-11: an overflow in any layer is told, whatever weights and cache are stored as", "[short_floats]") {
  const TemporaryFolder folder;
  size_t num_norms = 0;
  for (const char* family : {"marian", "m2m100", "t5", "t5-v1_1"}) {
    const Tensors intact = read_fixture(family, "F32");
    for (const auto& [name, tensor] : intact) {
      if (!name.ends_with("layer_norm.weight")) continue;
      ++num_norms;
      Tensors spoiled = intact;
      for (float& value : spoiled[name].values) value = 3e38f;
      write_folder(folder, family, spoiled);
      for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kInt8, WeightType::kInt4}) {
        const std::string path = convert_as(folder, type);
        for (const dragoman_cache_type cache : {DRAGOMAN_CACHE_F32, DRAGOMAN_CACHE_F16, DRAGOMAN_CACHE_INT8}) {
          INFO(name << " " << weight_type_name(type) << " " << cache);
          const Error error = translate_few(path, cache);
          CHECK(error.code() == DRAGOMAN_NUMERICAL);
          CHECK(std::string(error.message()).find("numerical failure at step") != std::string::npos);
        }
      }
    }
  }
  CHECK(num_norms > 40);
}

}  // namespace
}  // namespace dragoman::test
