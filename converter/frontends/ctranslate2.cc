// CTranslate2's habits of storage: value = integer / scale, scalars as variables, fused projections.
// Neighbours: ctranslate2.h.
#include "converter/frontends/ctranslate2.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "converter/formats/ctranslate2_model.h"
#include "converter/formats/json_options.h"
#include "converter/formats/mapped_file.h"
#include "converter/frontends/array_tensor.h"

namespace dragoman::converter {
namespace {

constexpr char kWeights[] = "model.bin";
constexpr char kConfig[] = "config.json";
constexpr char kStartToken[] = "decoder_start_token";

// Real numbers keep a point, which tells a factor of 1.0 from a flag that is on.
std::string number_text(double value, bool real) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  const bool whole = std::string_view(text).find_first_not_of("-0123456789") == std::string_view::npos;
  return std::string(text) + (real && whole ? ".0" : "");
}

// A scalar as an option's text.
std::string scalar_text(const StoredArray& variable) {
  SourceTensor tensor;
  tensor.data = variable.data;
  switch (variable.type) {
    case ArrayType::kI8: tensor.type = SourceType::kI8; break;
    case ArrayType::kI16: tensor.type = SourceType::kI16; break;
    case ArrayType::kF16: tensor.type = SourceType::kF16; break;
    case ArrayType::kBF16: tensor.type = SourceType::kBF16; break;
    case ArrayType::kF32: tensor.type = SourceType::kF32; break;
    default: {
      int32_t value = 0;
      std::memcpy(&value, variable.data.data(), std::min(sizeof(value), variable.data.size()));
      return std::to_string(value);
    }
  }
  return number_text(source_element(tensor, 0), tensor.type != SourceType::kI8 && tensor.type != SourceType::kI16);
}

// Takes "<name>_scale" out of the tensors and into their weights.
Status fold_scales(const std::string& path, Source* source) {
  std::vector<SourceTensor> tensors;
  for (SourceTensor& tensor : source->tensors) {
    if (tensor.name.ends_with("/weight_scale")) continue;
    const bool integers = tensor.type == SourceType::kI8 || tensor.type == SourceType::kI16;
    if (integers) {
      const SourceTensor* scales = source->find(tensor.name + "_scale");
      const uint64_t rows = tensor.shape.empty() ? 0 : tensor.shape[0];
      if (scales == nullptr || scales->type != SourceType::kF32 || (scales->size() != 1 && scales->size() != rows)) {
        return Status::error(Code::kDamaged, "%s: variable '%.80s' has no scales of its rows", path.c_str(),
                             tensor.name.c_str());
      }
      for (uint64_t row = 0; row < rows; ++row) {
        const float stored = source_element(*scales, scales->size() == 1 ? 0 : row);
        const float scale = 1.0f / stored;
        if (!(scale > 0.0f) || !std::isfinite(scale)) {
          return Status::error(Code::kDamaged, "%s: variable '%.80s': scale %g of row %llu", path.c_str(),
                               scales->name.c_str(), static_cast<double>(stored), static_cast<unsigned long long>(row));
        }
        tensor.row_scales.push_back(scale);
      }
    }
    tensors.push_back(tensor);
  }
  source->tensors = std::move(tensors);
  return Status();
}

// Rows [part, part + 1) of `parts` equal ones.
SourceTensor slice(const SourceTensor& tensor, uint64_t parts, uint64_t part) {
  SourceTensor result = tensor;
  const uint64_t rows = tensor.shape[0] / parts;
  const size_t bytes = tensor.data.size() / parts;
  result.name = tensor.name + "[" + std::to_string(part) + "]";
  result.shape[0] = rows;
  result.data = tensor.data.subspan(part * bytes, bytes);
  if (!tensor.row_scales.empty()) {
    result.row_scales.assign(tensor.row_scales.begin() + static_cast<ptrdiff_t>(part * rows),
                             tensor.row_scales.begin() + static_cast<ptrdiff_t>((part + 1) * rows));
  }
  return result;
}

void split_fused(Source* source) {
  std::vector<SourceTensor> tensors;
  for (const SourceTensor& tensor : source->tensors) {
    const uint64_t parts = tensor.name.find("/self_attention/linear_0/") != std::string::npos ? 3
                           : tensor.name.find("/attention/linear_1/") != std::string::npos    ? 2
                                                                                              : 1;
    if (parts == 1 || tensor.shape.empty() || tensor.shape[0] % parts != 0) {
      tensors.push_back(tensor);
      continue;
    }
    for (uint64_t part = 0; part < parts; ++part) tensors.push_back(slice(tensor, parts, part));
  }
  source->tensors = std::move(tensors);
  std::sort(source->tensors.begin(), source->tensors.end(),
            [](const SourceTensor& a, const SourceTensor& b) { return a.name < b.name; });
}

Result<std::vector<std::string>> read_tokens(const SourceFolder& folder, const std::string& name) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, folder.open(name));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  std::vector<std::string> tokens;
  if (name.ends_with(".json")) {
    const auto root = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
    for (const auto& item : root.is_array() ? root : nlohmann::json::array()) {
      if (item.is_string()) tokens.push_back(item.get<std::string>());
    }
    if (!root.is_array() || tokens.size() != root.size() || tokens.empty()) {
      return Status::error(Code::kDamaged, "%s: not a list of tokens", file->path().c_str());
    }
    return tokens;
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    tokens.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return tokens;
}

// A null is no absent key here: it means that there is no such token.
void keep_null_start(std::span<const std::byte> config, Options* options) {
  const char* text = reinterpret_cast<const char*>(config.data());
  const auto root = nlohmann::json::parse(text, text + config.size(), nullptr, false);
  const auto at = root.find(kStartToken);
  if (at != root.end() && at->is_null()) (*options)[kStartToken].items = {""};
}

std::string tokens_file(const SourceFolder& folder, const std::string& name) {
  for (const char* ending : {".json", ".txt"}) {
    if (folder.has(name + ending)) return name + ending;
  }
  return "";
}

}  // namespace

bool is_ctranslate2_folder(const std::string& folder) {
  const SourceFolder files(folder);
  if (!files.has(kWeights)) return false;
  const Result<std::shared_ptr<const MappedFile>> file = files.open(kWeights);
  return file.ok() && looks_like_ctranslate2(file.value()->bytes());
}

Result<Source> read_ctranslate2_source(const SourceFolder& folder) {
  Source source;
  source.framework = "ctranslate2";
  const std::string path = folder.path(kWeights);
  DRAGOMAN_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, folder.open(kWeights));
  source.storage.push_back(file);
  DRAGOMAN_ASSIGN_OR_RETURN(CTranslate2Model model, read_ctranslate2_model(file->bytes(), path));
  if (folder.has(kConfig)) {
    DRAGOMAN_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> config, folder.open(kConfig));
    DRAGOMAN_ASSIGN_OR_RETURN(source.generation, parse_json_options(config->bytes(), config->path()));
    keep_null_start(config->bytes(), &source.generation);
  }
  std::vector<StoredArray> arrays;
  for (StoredArray& variable : model.variables) {
    const bool scale = variable.name.ends_with("/weight_scale");
    if (variable.shape.empty() && !scale) {
      source.options[variable.name].items = {scalar_text(variable)};
    } else {
      arrays.push_back(std::move(variable));
    }
  }
  source.options["spec"].items = {model.spec};
  add_arrays(std::move(arrays), &source);
  DRAGOMAN_RETURN_IF_ERROR(fold_scales(path, &source));
  for (const auto& [alias, name] : model.aliases) {
    const SourceTensor* tensor = source.find(name);
    if (tensor == nullptr) continue;  // of a scale, or of a scalar
    SourceTensor copy = *tensor;
    copy.name = alias;
    source.tensors.insert(std::lower_bound(source.tensors.begin(), source.tensors.end(), alias,
                                           [](const SourceTensor& a, const std::string& key) { return a.name < key; }),
                          std::move(copy));
  }
  split_fused(&source);
  return source;
}

Result<CTranslate2Tokens> read_ctranslate2_tokens(const SourceFolder& folder) {
  CTranslate2Tokens tokens;
  const std::string shared = tokens_file(folder, "shared_vocabulary");
  tokens.shared = !shared.empty();
  const std::string source = tokens.shared ? shared : tokens_file(folder, "source_vocabulary");
  const std::string target = tokens.shared ? shared : tokens_file(folder, "target_vocabulary");
  if (source.empty() || target.empty()) {
    return Status::error(Code::kNotFound, "%s: no shared_vocabulary and no source_vocabulary with target_vocabulary",
                         folder.path().c_str());
  }
  DRAGOMAN_ASSIGN_OR_RETURN(tokens.source, read_tokens(folder, source));
  DRAGOMAN_ASSIGN_OR_RETURN(tokens.target, read_tokens(folder, target));
  folder.list(source, &tokens.files);
  folder.list(target, &tokens.files);
  return tokens;
}

}  // namespace dragoman::converter
