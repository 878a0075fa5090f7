#include "tests/support/hugging_face_folder.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "converter/formats/safetensors.h"
#include "tests/support/make_marian_model.h"
#include "tests/support/make_torch_checkpoint.h"

namespace dragoman::test {
namespace {

using nlohmann::json;

json read_json(const std::string& path) {
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file.good());
  return json::parse(file);
}

constexpr const char* kTokenizerFiles[] = {
    "sentencepiece.bpe.model", "source.spm", "spiece.model", "target.spm", "vocab.json", "tokenizer_config.json"};

void write_json(const std::string& path, const json& value) { std::ofstream(path) << value.dump(1); }

}  // namespace

uint16_t float_to_half(float value) {
  const uint32_t sign = (std::bit_cast<uint32_t>(value) >> 16) & 0x8000;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  const int step = std::max(exponent - 11, -24);
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  // `units` below 1024 are subnormal; what rounds up to 2048 becomes the next exponent by itself.
  const uint32_t bits = step == -24 ? units : (static_cast<uint32_t>(step + 24) << 10) + units;
  return static_cast<uint16_t>(sign | bits);
}

uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::vector<std::byte> stored_bytes(const FolderTensor& tensor) {
  if (tensor.type == "F32") {
    const auto bytes = std::as_bytes(std::span(tensor.values));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<uint16_t> halves;
  for (const float value : tensor.values) {
    halves.push_back(tensor.type == "F16" ? float_to_half(value) : float_to_bfloat16(value));
  }
  const auto bytes = std::as_bytes(std::span(halves));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> safetensors_file(const std::map<std::string, FolderTensor>& tensors) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  std::vector<std::byte> data;
  for (const auto& [name, tensor] : tensors) {
    const std::vector<std::byte> bytes = stored_bytes(tensor);
    header[name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  std::string text = header.dump();
  text.append(-text.size() % 8, ' ');
  const uint64_t length = text.size();
  std::vector<std::byte> file(sizeof(length) + text.size());
  std::memcpy(file.data(), &length, sizeof(length));
  std::memcpy(file.data() + sizeof(length), text.data(), text.size());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::vector<std::byte> torch_checkpoint(const std::map<std::string, FolderTensor>& tensors, bool legacy) {
  std::vector<TorchStorage> storages;
  std::vector<TorchView> views;
  for (const auto& [name, tensor] : tensors) {
    TorchView view{name, storages.size(), 0, tensor.shape, std::vector<uint64_t>(tensor.shape.size(), 1), false};
    for (size_t axis = tensor.shape.size(); axis > 1; --axis) {
      view.strides[axis - 2] = view.strides[axis - 1] * tensor.shape[axis - 1];
    }
    views.push_back(std::move(view));
    const char* type = tensor.type == "F16" ? "Half" : tensor.type == "BF16" ? "BFloat16" : "Float";
    storages.push_back({type, tensor.values.size(), stored_bytes(tensor)});
  }
  return torch_checkpoint(storages, views, legacy);
}

HuggingFaceFolder::HuggingFaceFolder(const std::string& source) {
  config = read_json(source + "/config.json");
  generation = read_json(source + "/generation_config.json");
  const std::vector<std::byte> file = read_bytes(source + "/model.safetensors");
  const auto arrays = converter::read_safetensors(file, source);
  REQUIRE(arrays.ok());
  for (const converter::StoredArray& array : arrays.value()) {
    REQUIRE(array.type == converter::ArrayType::kF32);
    FolderTensor& tensor = tensors[array.name];
    tensor.shape = array.shape;
    tensor.values.resize(array.data.size() / sizeof(float));
    std::memcpy(tensor.values.data(), array.data.data(), array.data.size());
  }
  for (const char* name : kTokenizerFiles) {
    if (std::filesystem::exists(source + "/" + name)) tokenizer_files[name] = source + "/" + name;
  }
}

void HuggingFaceFolder::add(const std::string& name, std::vector<uint64_t> shape, std::vector<float> values) {
  uint64_t size = 1;
  for (const uint64_t dimension : shape) size *= dimension;
  REQUIRE(size == values.size());
  tensors[name] = {"F32", std::move(shape), std::move(values)};
}

void HuggingFaceFolder::fill_row(const std::string& name, size_t row, float value) {
  FolderTensor& tensor = tensors.at(name);
  const auto width = static_cast<ptrdiff_t>(tensor.shape.back());
  std::fill_n(tensor.values.begin() + static_cast<ptrdiff_t>(row) * width, width, value);
}

void HuggingFaceFolder::apply(const json& edits) {
  for (const json& edit : edits) {
    const std::string op = edit["op"];
    if (op == "copy") {
      FolderTensor copy = tensors.at(edit["from"]);
      for (float& value : copy.values) value *= edit["factor"].get<float>();
      tensors[edit["to"]] = std::move(copy);
    } else if (op == "fill") {
      fill_row(edit["tensor"], edit["row"], edit["value"]);
    } else if (op == "remove") {
      REQUIRE(tensors.erase(edit["tensor"]) == 1);
    } else {
      REQUIRE(op == "round");
      for (auto& [name, tensor] : tensors) tensor.type = edit["type"];
    }
  }
}

const std::string& HuggingFaceFolder::write(size_t shards) {
  for (const auto& entry : std::filesystem::directory_iterator(folder_->path())) std::filesystem::remove(entry);
  write_json(folder_->path("config.json"), config);
  if (!generation.empty()) write_json(folder_->path("generation_config.json"), generation);
  for (const auto& [name, source] : tokenizer_files) std::filesystem::copy_file(source, folder_->path(name));
  if (shards == 1) {
    write_bytes(folder_->path("model.safetensors"), safetensors_file(tensors));
    return folder_->path();
  }
  std::vector<std::map<std::string, FolderTensor>> files(shards);
  json map = json::object();
  size_t next = 0;
  for (const auto& [name, tensor] : tensors) {
    const size_t shard = next++ % shards;
    files[shard][name] = tensor;
    map[name] = "model-" + std::to_string(shard + 1) + ".safetensors";
  }
  for (size_t shard = 0; shard < shards; ++shard) {
    write_bytes(folder_->path("model-" + std::to_string(shard + 1) + ".safetensors"), safetensors_file(files[shard]));
  }
  write_json(folder_->path("model.safetensors.index.json"), {{"metadata", json::object()}, {"weight_map", map}});
  return folder_->path();
}

Result<converter::ConvertReport> HuggingFaceFolder::convert(bool keep_float) {
  converter::ConvertOptions options;
  options.input = write();
  options.output = path("out.drg");
  options.weight_type = keep_float ? converter::WeightType::kF32 : converter::WeightType::kInt8;
  return converter::convert(options);
}

}  // namespace dragoman::test
