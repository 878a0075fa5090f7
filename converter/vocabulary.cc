// Vocabulary files by extension.
// Neighbours: vocabulary.h.
#include "converter/vocabulary.h"

#include <string_view>

#include "converter/formats/mapped_file.h"
#include "converter/tokenizer_json_tables.h"

namespace dragoman::converter {
namespace {

Result<TokenizerData> read_bytes(const std::string& path, std::span<const std::byte> bytes) {
  if (path.ends_with(".yml") || path.ends_with(".yaml")) {
    DRAGOMAN_ASSIGN_OR_RETURN(const MarianVocab vocab, read_marian_vocab(std::string_view(
                                                           reinterpret_cast<const char*>(bytes.data()), bytes.size())));
    return build_tokenizer(vocab);
  }
  if (path.ends_with(".json")) {
    DRAGOMAN_ASSIGN_OR_RETURN(JsonVocabulary vocabulary, read_json_tokenizer(bytes));
    return std::move(vocabulary.data);
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel model, read_sentencepiece_model(bytes));
  return build_tokenizer(model);
}

}  // namespace

Result<TokenizerData> read_vocabulary(const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  Result<TokenizerData> data = read_bytes(path, file->bytes());
  if (data.ok()) return data;
  return Status::error(data.status().code(), "%s: %s", path.c_str(), data.status().message());
}

Status check_vocabulary_size(const std::string& path, const char* side, uint32_t num_ids, uint32_t rows) {
  if (num_ids <= rows && rows - num_ids <= kMaxPaddingRows) return Status();
  return Status::error(Code::kInvalidArgument,
                       "%s: the %s vocabulary has %u entries, but the model's %s table has %u rows (are source and "
                       "target exchanged?)",
                       path.c_str(), side, num_ids, side, rows);
}

}  // namespace dragoman::converter
