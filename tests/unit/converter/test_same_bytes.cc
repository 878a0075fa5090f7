// One checkpoint in several containers: the model files differ in nothing but what they say about their sources.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

using converter::ConvertOptions;
using converter::WeightType;

// Converts the tiny MarianMT with its weights in `file`, under the name that loaders look for.
ConvertedModel convert_from(const TemporaryFolder& folder, const std::string& file, WeightType type,
                            const std::string& output = "out.drg") {
  const std::string family = std::string(DRAGOMAN_FAMILIES_DIR) + "/marian/";
  const bool safe = file.ends_with(".safetensors");
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) std::filesystem::remove(folder.path(name));
  for (const char* name : {"config.json", "generation_config.json"}) {
    std::filesystem::copy_file(family + name, folder.path(name), overwrite);
  }
  std::filesystem::copy_file(family + file, folder.path(safe ? "model.safetensors" : "pytorch_model.bin"), overwrite);
  ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path(output);
  options.name = "one";
  options.weight_type = type;
  const auto report = converter::convert(options);
  INFO(report.status().message());
  REQUIRE(report.ok());
  return ConvertedModel(options.output);
}

// The description without origin and places, and the bytes of every tensor.
std::string contents(const ConvertedModel& model) {
  schema::ModelT description = model.description();
  description.provenance->source_files.clear();
  description.provenance->source_checksums.clear();
  description.description_checksum = 0;
  std::string bytes;
  for (auto& tensor : description.tensors) {
    const auto data = model.file().subspan(tensor->offset, tensor->bytes);
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
    tensor->offset = 0;
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &description));
  return bytes.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

TEST_CASE("MF-09 safetensors and both kinds of pytorch_model.bin give the same model", "[writer]") {
  const TemporaryFolder folder;
  for (const WeightType type : {WeightType::kInt8, WeightType::kInt4, WeightType::kF16, WeightType::kF32}) {
    INFO(weight_type_name(type));
    const std::string expected = contents(convert_from(folder, "model.safetensors", type));
    CHECK(contents(convert_from(folder, "pytorch_model.bin", type)) == expected);
    CHECK(contents(convert_from(folder, "pytorch_model_legacy.bin", type)) == expected);
  }
}

TEST_CASE("MF-09 two conversions in every type give the same bytes", "[writer]") {
  const TemporaryFolder folder;
  std::map<std::string, WeightType> seen;
  for (const WeightType type : {WeightType::kInt8, WeightType::kInt4, WeightType::kF16, WeightType::kF32}) {
    INFO(weight_type_name(type));
    convert_from(folder, "model.safetensors", type, "first.drg");
    convert_from(folder, "model.safetensors", type, "second.drg");
    const auto first = read_bytes(folder.path("first.drg"));
    CHECK(first == read_bytes(folder.path("second.drg")));
    seen[std::string(reinterpret_cast<const char*>(first.data()), first.size())] = type;
  }
  CHECK(seen.size() == 4);
}

}  // namespace
}  // namespace dragoman::test
