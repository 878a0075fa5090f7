// Neighbours: tokenizer_json_vocabulary.h.
#include "converter/tokenizer_json_vocabulary.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "converter/formats/mapped_file.h"
#include "converter/formats/tokenizer_json.h"
#include "converter/language_scheme.h"
#include "converter/tokenizer_json_tables.h"

namespace dragoman::converter {
namespace {

constexpr char kSpacePiece[] = "\xE2\x96\x81";

// Whether the tokenizer finds the token as it stands, without a space before it.
bool is_added_token(const TokenizerJson& json, const std::string& token) {
  return std::any_of(json.added_tokens.begin(), json.added_tokens.end(),
                     [&token](const AddedTokenEntry& added) { return added.content == token; });
}

// What a vocabulary that only lists its language tokens puts before them: the space that begins every text.
std::vector<int32_t> ids_before(std::span<const std::byte> file, const std::string& token) {
  const Result<TokenizerJson> json = read_tokenizer_json(file);
  if (!json.ok() || is_added_token(json.value(), token)) return {};
  const std::vector<ScoredToken>& tokens = json.value().tokens;
  const auto space =
      std::find_if(tokens.begin(), tokens.end(), [](const ScoredToken& one) { return one.text == kSpacePiece; });
  if (space == tokens.end()) return {};
  return {static_cast<int32_t>(space - tokens.begin())};
}

Status named(const std::string& path, const Status& status) {
  return Status::error(status.code(), "%s: %s", path.c_str(), status.message());
}

}  // namespace

Result<HuggingFaceVocabulary> read_tokenizer_json_vocabulary(const std::string& path, const Source& source) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  Result<JsonVocabulary> read = read_json_tokenizer(
      file->bytes(), [&source](const std::string& token) { return !language_in_token(source, token).empty(); });
  if (!read.ok()) return named(path, read.status());
  JsonVocabulary& json = read.value();
  HuggingFaceVocabulary vocabulary;
  vocabulary.has_unknown = json.data.options.unknown_id >= 0;
  vocabulary.files.push_back(path);
  const auto is_language = [&source](const std::string& token) { return !language_in_token(source, token).empty(); };
  if (std::none_of(json.control.begin(), json.control.end(), is_language)) {
    vocabulary.source_prefix = std::move(json.prefix_ids);
    vocabulary.source_suffix = std::move(json.suffix_ids);
  }
  const auto language = std::find_if(json.control.begin(), json.control.end(), [&source](const std::string& token) {
    return token.starts_with("<2") && !language_in_token(source, token).empty();
  });
  if (language != json.control.end()) vocabulary.before_language = ids_before(file->bytes(), *language);
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
