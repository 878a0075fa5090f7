// Neighbours: tokenizer_json_vocabulary.h.
#include "converter/tokenizer_json_vocabulary.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "converter/families/hugging_face_options.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/tokenizer_json.h"
#include "converter/tokenizer_json_tables.h"

namespace dragoman::converter {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "eng_Latn".
bool is_nllb_code(const std::string& token) {
  return token.size() == 8 && std::all_of(token.begin(), token.begin() + 3, is_lower) && token[3] == '_' &&
         is_upper(token[4]) && std::all_of(token.begin() + 5, token.end(), is_lower);
}

// "en_XX".
bool is_mbart_code(const std::string& token) {
  return token.size() == 5 && is_lower(token[0]) && is_lower(token[1]) && token[2] == '_' && is_upper(token[3]) &&
         is_upper(token[4]);
}

// The code between `before` and `after`; empty when they do not frame the token.
std::string framed(const std::string& token, const std::string& before, const std::string& after) {
  if (token.size() <= before.size() + after.size() || !token.starts_with(before) || !token.ends_with(after)) return "";
  return token.substr(before.size(), token.size() - before.size() - after.size());
}

// The language that a token stands for; empty: none.
std::string language_of(const std::string& token, const Source& source) {
  if (is_model_type(source, "mbart")) return is_mbart_code(token) ? token : "";
  if (is_model_type(source, "m2m_100")) return is_nllb_code(token) ? token : framed(token, "__", "__");
  if (is_model_type(source, "marian")) return framed(token, ">>", "<<");
  if (is_model_type(source, "t5") || is_model_type(source, "mt5")) return framed(token, "<2", ">");
  return "";
}

Status named(const std::string& path, const Status& status) {
  return Status::error(status.code(), "%s: %s", path.c_str(), status.message());
}

}  // namespace

Result<HuggingFaceVocabulary> read_tokenizer_json_vocabulary(const std::string& path, const Source& source) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  Result<JsonVocabulary> read = read_json_tokenizer(
      file->bytes(), [&source](const std::string& token) { return !language_of(token, source).empty(); });
  if (!read.ok()) return named(path, read.status());
  JsonVocabulary& json = read.value();
  HuggingFaceVocabulary vocabulary;
  vocabulary.has_unknown = json.data.options.unknown_id >= 0;
  vocabulary.files.push_back(path);
  const auto is_language = [&source](const std::string& token) { return !language_of(token, source).empty(); };
  if (std::none_of(json.control.begin(), json.control.end(), is_language)) {
    vocabulary.source_prefix = std::move(json.prefix_ids);
    vocabulary.source_suffix = std::move(json.suffix_ids);
  }
  vocabulary.source = std::move(json.data);
  return vocabulary;
}

void compare_with_tokenizer_json(const std::string& folder, const HuggingFaceVocabulary& vocabulary,
                                 ConvertReport* report) {
  const std::string path = (std::filesystem::path(folder) / kTokenizerJson).string();
  std::error_code error;
  const bool was_read = std::find(vocabulary.files.begin(), vocabulary.files.end(), path) != vocabulary.files.end();
  if (was_read || vocabulary.files.empty() || !std::filesystem::is_regular_file(path, error)) return;
  const Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file.ok()) return;
  const Result<TokenizerJson> json = read_tokenizer_json(file.value()->bytes());
  const uint32_t num_ids = vocabulary.source.options.num_ids;
  if (!json.ok()) {
    report->notes.push_back(std::string(kTokenizerJson) + " is not used, and not readable: " + json.status().message());
  } else if (json.value().tokens.size() != num_ids) {
    report->notes.push_back(std::string(kTokenizerJson) + " is not used; it has " +
                            std::to_string(json.value().tokens.size()) + " tokens, the vocabulary that is used " +
                            std::to_string(num_ids));
  }
}

}  // namespace dragoman::converter
