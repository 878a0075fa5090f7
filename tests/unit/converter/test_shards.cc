// Weights in several files with an index: equal to one file, and every index that does not fit is refused.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "converter/formats/shard_index.h"
#include "tests/support/hugging_face_folder.h"
#include "tests/support/make_torch_checkpoint.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

namespace fs = std::filesystem;

constexpr char kIndex[] = "model.safetensors.index.json";
constexpr char kMoved[] = "model.shared.weight";

// A folder of three shards that a test damages.
class Sharded {
 public:
  Sharded() : folder_(std::string(DRAGOMAN_FAMILIES_DIR) + "/marian") {
    folder_.write(3);
    index = nlohmann::json::parse(std::ifstream(path(kIndex)));
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  HuggingFaceFolder& folder() { return folder_; }

  Result<converter::ConvertReport> convert() const {
    std::ofstream(path(kIndex)) << index.dump();
    converter::ConvertOptions options;
    options.input = path("");
    options.output = path("out.drg");
    options.weight_type = converter::WeightType::kF32;
    return converter::convert(options);
  }

  std::string refusal() const {
    const Result<converter::ConvertReport> report = convert();
    REQUIRE(!report.ok());
    CHECK(!fs::exists(path("out.drg")));
    return report.status().message();
  }

  nlohmann::json index;

 private:
  HuggingFaceFolder folder_;
};

bool names(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

// The payload: everything behind the description, which names the source files.
std::vector<float> table_of(const std::string& path) { return ConvertedModel(path).values("embedding"); }

TEST_CASE("three shards give the tensors of one file", "[shards]") {
  const Sharded sharded;
  const auto report = sharded.convert();
  INFO(report.status().message());
  REQUIRE(report.ok());
  HuggingFaceFolder whole(std::string(DRAGOMAN_FAMILIES_DIR) + "/marian");
  REQUIRE(whole.convert().ok());
  CHECK(table_of(sharded.path("out.drg")) == table_of(whole.path("out.drg")));
  CHECK(ConvertedModel(sharded.path("out.drg")).description().provenance->source_files.size() == 6);
}

TEST_CASE("a shard that is not there is named", "[shards]") {
  const Sharded sharded;
  fs::remove(sharded.path("model-2.safetensors"));
  CHECK(names(sharded.refusal(), "model-2.safetensors"));
}

TEST_CASE("a tensor in another shard than the index says is named with the file", "[shards]") {
  Sharded sharded;
  const std::string home = sharded.index["weight_map"][kMoved];
  sharded.index["weight_map"][kMoved] = home == "model-1.safetensors" ? "model-2.safetensors" : "model-1.safetensors";
  const std::string message = sharded.refusal();
  CHECK(names(message, kMoved));
  CHECK(names(message, ".safetensors"));
}

TEST_CASE("a tensor that the index does not know, or knows in vain, is named", "[shards]") {
  Sharded unknown;
  unknown.index["weight_map"].erase(kMoved);
  CHECK(names(unknown.refusal(), "tensor 'model.shared.weight' is not in the index"));
  Sharded missing;
  missing.index["weight_map"]["model.extra.weight"] = "model-1.safetensors";
  CHECK(names(missing.refusal(), "tensor 'model.extra.weight' of the index is not there"));
}

TEST_CASE("a tensor in two shards is refused, and so is a name that the index holds twice", "[shards]") {
  Sharded twice;
  const std::string home = twice.index["weight_map"][kMoved];
  const std::string other = home == "model-1.safetensors" ? "model-2.safetensors" : "model-1.safetensors";
  std::map<std::string, FolderTensor> tensors;
  for (const auto& [name, shard] : twice.index["weight_map"].items()) {
    if (shard == other || name == kMoved) tensors[name] = twice.folder().tensors.at(name);
  }
  write_bytes(twice.path(other), safetensors_file(tensors));
  CHECK(names(twice.refusal(), kMoved));

  Sharded doubled;
  std::string text = doubled.index.dump();
  const std::string entry = "\"" + std::string(kMoved) + "\":";
  text.insert(text.find(entry), entry + "\"model-3.safetensors\",");
  std::ofstream(doubled.path(kIndex)) << text;
  converter::ConvertOptions options;
  options.input = doubled.path("");
  options.output = doubled.path("out.drg");
  const auto report = converter::convert(options);
  REQUIRE(!report.ok());
  CHECK(names(report.status().message(), "stands there twice"));
}

TEST_CASE("an index names files beside it, and at least one", "[shards]") {
  for (const char* shard : {"../model-1.safetensors", "/etc/passwd", "..", "a\\b", ""}) {
    Sharded sharded;
    sharded.index["weight_map"][kMoved] = shard;
    CHECK(names(sharded.refusal(), kMoved));
  }
  Sharded empty;
  empty.index["weight_map"] = nlohmann::json::object();
  CHECK(names(empty.refusal(), "weight_map"));
  Sharded itself;
  itself.index["weight_map"][kMoved] = kIndex;
  CHECK(!itself.refusal().empty());
}

TEST_CASE("a shard index holds names of files and nothing else", "[shards]") {
  const auto parse = [](const std::string& text) {
    return converter::read_shard_index(std::as_bytes(std::span(text)), "model.safetensors.index.json");
  };
  const auto map = parse(R"({"metadata":{},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})");
  REQUIRE(map.ok());
  CHECK(map.value().at("b") == "model-2.safetensors");
  CHECK(!parse(R"({"weight_map":{"a":7}})").ok());
  CHECK(!parse("{}").ok());
  CHECK(!parse(R"({"weight_map":)" + std::string(100000, '[')).ok());
}

TEST_CASE("PyTorch checkpoints may be in shards, of both kinds", "[shards]") {
  HuggingFaceFolder folder(std::string(DRAGOMAN_FAMILIES_DIR) + "/marian");
  REQUIRE(folder.convert().ok());
  const std::vector<float> expected = table_of(folder.path("out.drg"));
  for (const bool legacy : {false, true}) {
    const std::string path = folder.write();
    fs::remove(folder.path("model.safetensors"));
    std::map<std::string, FolderTensor> parts[2];
    nlohmann::json map;
    size_t next = 0;
    for (const auto& [name, tensor] : folder.tensors) {
      parts[next % 2][name] = tensor;
      map[name] = "pytorch_model-" + std::to_string(next++ % 2) + ".bin";
    }
    for (size_t i = 0; i < 2; ++i) {
      write_bytes(folder.path("pytorch_model-" + std::to_string(i) + ".bin"), torch_checkpoint(parts[i], legacy));
    }
    std::ofstream(folder.path("pytorch_model.bin.index.json")) << nlohmann::json{{"weight_map", map}}.dump();
    converter::ConvertOptions options;
    options.input = path;
    options.output = folder.path("out.drg");
    options.weight_type = converter::WeightType::kF32;
    const auto report = converter::convert(options);
    INFO(report.status().message());
    REQUIRE(report.ok());
    CHECK(table_of(options.output) == expected);
  }
}

}  // namespace
}  // namespace dragoman::test
