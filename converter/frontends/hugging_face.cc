// Which file of a folder holds what, and which of two settings counts.
// Neighbours: hugging_face.h.
#include "converter/frontends/hugging_face.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "converter/formats/json_options.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/safetensors.h"
#include "converter/formats/shard_index.h"
#include "converter/formats/torch_checkpoint.h"
#include "converter/frontends/array_tensor.h"

namespace dragoman::converter {
namespace {

namespace fs = std::filesystem;

// In order of preference. An index names the shards.
constexpr const char* kWeights[] = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                    "pytorch_model.bin.index.json"};

// Settings for decoding that older checkpoints keep in config.json.
constexpr const char* kGenerationKeys[] = {"bad_words_ids",
                                           "begin_suppress_tokens",
                                           "bos_token_id",
                                           "decoder_start_token_id",
                                           "do_sample",
                                           "early_stopping",
                                           "eos_token_id",
                                           "forced_bos_token_id",
                                           "forced_eos_token_id",
                                           "length_penalty",
                                           "max_length",
                                           "max_new_tokens",
                                           "min_length",
                                           "min_new_tokens",
                                           "no_repeat_ngram_size",
                                           "num_beam_groups",
                                           "num_beams",
                                           "pad_token_id",
                                           "repetition_penalty",
                                           "suppress_tokens",
                                           "diversity_penalty",
                                           "encoder_no_repeat_ngram_size",
                                           "exponential_decay_length_penalty",
                                           "force_bos_token_to_be_generated",
                                           "renormalize_logits"};

std::string in(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string weights_file(const std::string& folder) {
  for (const char* name : kWeights) {
    if (is_file(in(folder, name))) return in(folder, name);
  }
  return "";
}

Result<Options> read_options(const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  return parse_json_options(file->bytes(), path);
}

// generation_config.json counts where both files say something.
Status read_generation(const std::string& folder, Source* source) {
  for (const char* key : kGenerationKeys) {
    const auto at = source->options.find(key);
    if (at != source->options.end()) source->generation[key] = at->second;
  }
  const std::string path = in(folder, "generation_config.json");
  if (!is_file(path)) return Status();
  DRAGOMAN_ASSIGN_OR_RETURN(const Options settings, read_options(path));
  for (const auto& [key, value] : settings) {
    const auto at = source->generation.find(key);
    if (at != source->generation.end() && at->second.items != value.items) {
      source->notes.push_back("'" + key + "' is " + at->second.text() + " in config.json and " + value.text() +
                              " in generation_config.json, which counts");
    }
    source->generation[key] = value;
  }
  return Status();
}

Status add_file(const std::string& path, const std::set<std::string>* wanted, Source* source) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> file, MappedFile::open(path));
  source->storage.push_back(file);
  const bool safe = path.ends_with(".safetensors");
  DRAGOMAN_ASSIGN_OR_RETURN(std::vector<StoredArray> arrays,
                            safe ? read_safetensors(file->bytes(), path) : read_torch_checkpoint(file->bytes(), path));
  if (wanted != nullptr) {
    std::set<std::string> missing = *wanted;
    for (const StoredArray& array : arrays) {
      if (missing.erase(array.name) == 0) {
        return Status::error(Code::kDamaged, "%s: tensor '%.80s' is not in the index", path.c_str(),
                             array.name.c_str());
      }
    }
    if (!missing.empty()) {
      return Status::error(Code::kDamaged, "%s: tensor '%.80s' of the index is not there", path.c_str(),
                           missing.begin()->c_str());
    }
  }
  add_arrays(std::move(arrays), source);
  return Status();
}

// Shard -> the tensors that the index expects in it.
using Shards = std::map<std::string, std::set<std::string>>;

Result<Shards> read_shards(const std::string& index) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(index));
  DRAGOMAN_ASSIGN_OR_RETURN(const auto map, read_shard_index(file->bytes(), index));
  Shards shards;
  for (const auto& [tensor, shard] : map) shards[shard].insert(tensor);
  return shards;
}

}  // namespace

bool is_hugging_face_folder(const std::string& folder) {
  const std::string config = in(folder, "config.json");
  if (!is_file(config) || weights_file(folder).empty()) return false;
  const Result<Options> options = read_options(config);
  // A config.json that cannot be read is still one: its error is better than "no model found".
  return !options.ok() || options.value().contains("model_type") || options.value().contains("architectures");
}

Result<std::vector<std::string>> hugging_face_files(const std::string& folder) {
  const std::string weights = weights_file(folder);
  if (weights.empty()) {
    return Status::error(Code::kNotFound, "%s: no model.safetensors and no pytorch_model.bin", folder.c_str());
  }
  std::vector<std::string> files = {weights};
  if (weights.ends_with(".json")) {
    DRAGOMAN_ASSIGN_OR_RETURN(const Shards shards, read_shards(weights));
    for (const auto& [shard, tensors] : shards) files.push_back(in(folder, shard));
  }
  files.push_back(in(folder, "config.json"));
  if (is_file(in(folder, "generation_config.json"))) files.push_back(in(folder, "generation_config.json"));
  return files;
}

Result<Source> read_hugging_face_source(const std::string& folder) {
  Source source;
  source.framework = "hugging-face";
  DRAGOMAN_ASSIGN_OR_RETURN(source.options, read_options(in(folder, "config.json")));
  DRAGOMAN_RETURN_IF_ERROR(read_generation(folder, &source));
  const std::string weights = weights_file(folder);
  if (!weights.ends_with(".json")) {
    DRAGOMAN_RETURN_IF_ERROR(add_file(weights, nullptr, &source));
    return source;
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const Shards shards, read_shards(weights));
  for (const auto& [shard, tensors] : shards) {
    DRAGOMAN_RETURN_IF_ERROR(add_file(in(folder, shard), &tensors, &source));
  }
  return source;
}

}  // namespace dragoman::converter
