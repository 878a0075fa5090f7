// Which files a folder has decides how ids and pieces belong together.
// Neighbours: hugging_face_vocabulary.h.
#include "converter/hugging_face_vocabulary.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "converter/arranged_pieces.h"
#include "converter/families/hugging_face_options.h"
#include "converter/formats/json_options.h"
#include "converter/formats/json_vocabulary.h"
#include "converter/formats/mapped_file.h"
#include "converter/language_codes.h"
#include "converter/number_vocabulary.h"
#include "converter/tokenizer_json_vocabulary.h"

namespace dragoman::converter {
namespace {

namespace fs = std::filesystem;

constexpr char kUnknown[] = "<unk>";
// Tables are padded, but not by more than this part of their rows.
constexpr uint32_t kUnusualPadding = 8;

std::string setting(const Options& options, const char* key) {
  const auto at = options.find(key);
  return at == options.end() ? "" : at->second.text();
}

int32_t id_setting(const Source& source, const char* key, int32_t fallback) {
  const auto at = source.generation.find(key);
  return at == source.generation.end() ? fallback : std::atoi(at->second.text().c_str());
}

Result<HuggingFaceVocabulary> numbers(const VocabularyRequest& request, ConvertReport* report) {
  const int32_t end = id_setting(request.source, "eos_token_id", 0);
  const int32_t pad = id_setting(request.source, "pad_token_id", 0);
  // A tokenizer has to have some id for the unknown; the padding's is used where the side has it.
  const auto of_size = [end, pad](uint32_t num_ids) {
    const bool has_pad = pad != end && pad >= 0 && static_cast<uint32_t>(pad) < num_ids;
    return number_vocabulary(num_ids, end, has_pad ? pad : (end == 0 ? 1 : 0));
  };
  HuggingFaceVocabulary vocabulary;
  vocabulary.has_unknown = false;
  DRAGOMAN_ASSIGN_OR_RETURN(vocabulary.source, of_size(request.facts.source_vocabulary));
  if (request.facts.source_vocabulary != request.facts.target_vocabulary) {
    DRAGOMAN_ASSIGN_OR_RETURN(vocabulary.target, of_size(request.facts.target_vocabulary));
  }
  report->notes.push_back("no vocabulary found: the model takes and gives ids, written as numbers");
  return vocabulary;
}

// Reads the files of one folder.
class FolderReader {
 public:
  explicit FolderReader(const VocabularyRequest& request) : request_(request) {}

  bool has(const char* name) const {
    std::error_code error;
    return fs::is_regular_file(path(name), error);
  }

  // What the tokenizer is told about itself, where the folder says it.
  Status read_settings() {
    if (!has("tokenizer_config.json")) return Status();
    DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, open("tokenizer_config.json"));
    DRAGOMAN_ASSIGN_OR_RETURN(result_.tokenizer_config,
                              parse_json_options(file->bytes(), path("tokenizer_config.json")));
    return Status();
  }

  Result<HuggingFaceVocabulary> marian() {
    std::vector<std::string> target_tokens;
    DRAGOMAN_ASSIGN_OR_RETURN(const std::vector<std::string> tokens, json_tokens("vocab.json"));
    const bool separate = has("target_vocab.json");
    if (separate) {
      DRAGOMAN_ASSIGN_OR_RETURN(target_tokens, json_tokens("target_vocab.json"));
    }
    DRAGOMAN_ASSIGN_OR_RETURN(result_.source, arranged("source.spm", marian_dictionary(tokens)));
    DRAGOMAN_ASSIGN_OR_RETURN(result_.target,
                              arranged("target.spm", marian_dictionary(separate ? target_tokens : tokens)));
    return std::move(result_);
  }

  // Pieces follow four special tokens; then come the languages and the mask.
  Result<HuggingFaceVocabulary> fairseq() {
    DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel model, sentencepiece("sentencepiece.bpe.model"));
    const bool mbart = is_model_type(request_.source, "mbart");
    const std::vector<std::string> languages =
        mbart ? mbart_languages(is_mbart50(model.pieces.size())) : nllb_languages();
    std::vector<DictionaryEntry> dictionary = {{"<s>", true}, {"<pad>", true}, {"</s>", true}, {kUnknown, true}};
    for (size_t i = 3; i < model.pieces.size(); ++i) dictionary.push_back({model.pieces[i].text, false});
    add_languages(languages, "", &dictionary);
    dictionary.push_back({"<mask>", true});
    DRAGOMAN_RETURN_IF_ERROR(add_tokens(&dictionary));
    return finish(model, std::move(dictionary), "sentencepiece.bpe.model");
  }

  // The dictionary file lists the pieces; languages follow it.
  Result<HuggingFaceVocabulary> m2m100() {
    DRAGOMAN_ASSIGN_OR_RETURN(const std::vector<std::string> tokens, json_tokens("vocab.json"));
    DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel model, sentencepiece("sentencepiece.bpe.model"));
    std::vector<DictionaryEntry> dictionary = marian_dictionary(tokens);
    add_languages(m2m100_languages(), "__", &dictionary);
    DRAGOMAN_RETURN_IF_ERROR(add_tokens(&dictionary));
    return finish(model, std::move(dictionary), "sentencepiece.bpe.model");
  }

  // Ids are the pieces' own; the sentinels follow, the first one last.
  Result<HuggingFaceVocabulary> t5() {
    DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel model, sentencepiece("spiece.model"));
    const size_t rows = request_.facts.source_vocabulary;
    const bool mt5 = is_model_type(request_.source, "mt5") || is_model_type(request_.source, "umt5");
    const size_t room = rows > model.pieces.size() ? rows - model.pieces.size() : 0;
    const size_t sentinels = mt5 ? 0 : std::min<size_t>(kSentinels, room);
    std::vector<DictionaryEntry> dictionary;
    std::string unknown = kUnknown;
    std::string language;
    for (const SentencePiece& piece : model.pieces) {
      dictionary.push_back({piece.text, piece.type == PieceType::kControl});
      if (piece.type == PieceType::kUnknown) unknown = piece.text;
      if (piece.text.starts_with("<2") && piece.text.ends_with(">")) {
        dictionary.back().special = true;  // MADLAD's target languages are the engine's to place
        if (language.empty()) language = piece.text;
      }
    }
    for (size_t i = sentinels; i > 0; --i) {
      dictionary.push_back({"<extra_id_" + std::to_string(i - 1) + ">", true});
    }
    if (!language.empty()) {
      DRAGOMAN_ASSIGN_OR_RETURN(result_.before_language, ids_before_last(model, language));
    }
    return finish(model, std::move(dictionary), "spiece.model", unknown);
  }

  std::string path(const char* name) const { return (fs::path(request_.folder) / name).string(); }

  // Another reader's result, together with what read_settings found.
  Result<HuggingFaceVocabulary> with_settings(Result<HuggingFaceVocabulary> read) const {
    if (!read.ok()) return read;
    read.value().tokenizer_config = result_.tokenizer_config;
    read.value().files.insert(read.value().files.end(), result_.files.begin(), result_.files.end());
    return read;
  }

 private:
  static constexpr size_t kSentinels = 100;

  // 25 languages, or the 27 more of mBART-50: the tokenizer's name tells, or the size of the table.
  bool is_mbart50(size_t num_pieces) const {
    const std::string name = setting(result_.tokenizer_config, "tokenizer_class");
    if (!name.empty()) return name.starts_with("MBart50");
    return request_.facts.source_vocabulary > num_pieces + mbart_languages(true).size();
  }

  static bool is_marian_language(const std::string& token) {
    return token.size() > 4 && token.starts_with(">>") && token.ends_with("<<");
  }

  static std::vector<DictionaryEntry> marian_dictionary(const std::vector<std::string>& tokens) {
    std::vector<DictionaryEntry> dictionary;
    for (const std::string& token : tokens) {
      const bool special = token == "<s>" || token == "</s>" || token == "<pad>" || token == kUnknown ||
                           is_marian_language(token) || (token.starts_with("__") && token.ends_with("__"));
      dictionary.push_back({token, special});
    }
    return dictionary;
  }

  static void add_languages(const std::vector<std::string>& codes, const std::string& frame,
                            std::vector<DictionaryEntry>* dictionary) {
    for (const std::string& code : codes) dictionary->push_back({frame + code + frame, true});
  }

  // What a fine-tuned model's folder adds: new languages, as a rule. Ids between them stay without a token.
  Status add_tokens(std::vector<DictionaryEntry>* dictionary) {
    if (!has("added_tokens.json")) return Status();
    DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, open("added_tokens.json"));
    DRAGOMAN_ASSIGN_OR_RETURN(const Options added, parse_json_options(file->bytes(), path("added_tokens.json")));
    for (const auto& [token, value] : added) {
      size_t id = 0;
      const std::string number = value.text();
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
      if (error != std::errc() || end != number.data() + number.size() || id >= request_.facts.source_vocabulary) {
        return Status::error(Code::kDamaged, "%s: '%.80s' has id %.20s, expected one below %u",
                             path("added_tokens.json").c_str(), token.c_str(), number.c_str(),
                             request_.facts.source_vocabulary);
      }
      while (dictionary->size() <= id) {
        dictionary->push_back({"<unused_" + std::to_string(dictionary->size()) + ">", true});
      }
      if ((*dictionary)[id].token != token) (*dictionary)[id] = {token, true};
    }
    return Status();
  }

  Result<std::unique_ptr<MappedFile>> open(const char* name) {
    result_.files.push_back(path(name));
    return MappedFile::open(path(name));
  }

  Result<std::vector<std::string>> json_tokens(const char* name) {
    DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, open(name));
    return read_json_vocabulary(file->bytes(), path(name));
  }

  Result<SentencePieceModel> sentencepiece(const char* name) {
    DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, open(name));
    Result<SentencePieceModel> model = read_sentencepiece_model(file->bytes());
    if (model.ok()) return model;
    return Status::error(model.status().code(), "%s: %s", path(name).c_str(), model.status().message());
  }

  Result<TokenizerData> tables(const SentencePieceModel& model, const std::vector<DictionaryEntry>& dictionary,
                               const char* name, const std::string& unknown = kUnknown) const {
    Result<TokenizerData> data = arrange_pieces(model, dictionary, unknown);
    if (data.ok()) return data;
    return Status::error(data.status().code(), "%s: %s", path(name).c_str(), data.status().message());
  }

  Result<TokenizerData> arranged(const char* name, const std::vector<DictionaryEntry>& dictionary) {
    DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel model, sentencepiece(name));
    return tables(model, dictionary, name);
  }

  Result<HuggingFaceVocabulary> finish(const SentencePieceModel& model, std::vector<DictionaryEntry> dictionary,
                                       const char* name, const std::string& unknown = kUnknown) {
    DRAGOMAN_ASSIGN_OR_RETURN(result_.source, tables(model, dictionary, name, unknown));
    return std::move(result_);
  }

  const VocabularyRequest& request_;
  HuggingFaceVocabulary result_;
};

Result<HuggingFaceVocabulary> read_folder(const VocabularyRequest& request, ConvertReport* report) {
  FolderReader reader(request);
  DRAGOMAN_RETURN_IF_ERROR(reader.read_settings());
  const Source& source = request.source;
  if (!request.named.empty()) return reader.with_settings(read_tokenizer_json_vocabulary(request.named, source));
  if (reader.has("source.spm") && reader.has("target.spm") && reader.has("vocab.json")) return reader.marian();
  if (reader.has("sentencepiece.bpe.model")) {
    const bool dictionary = reader.has("vocab.json") && !is_model_type(source, "mbart");
    return dictionary ? reader.m2m100() : reader.fairseq();
  }
  if (reader.has("spiece.model")) return reader.t5();
  if (reader.has(kTokenizerJson)) {
    return reader.with_settings(read_tokenizer_json_vocabulary(reader.path(kTokenizerJson), source));
  }
  return numbers(request, report);
}

// Every id that text can become has a row; many rows without a token are worth a note.
Status check_side(const VocabularyRequest& request, const TokenizerData& side, uint32_t rows, const char* name,
                  ConvertReport* report) {
  const uint32_t num_ids = side.options.num_ids;
  if (num_ids > rows) {
    return Status::error(Code::kInvalidArgument,
                         "%s: the %s vocabulary has %u entries, but the model's table has %u rows",
                         request.folder.c_str(), name, num_ids, rows);
  }
  if (rows - num_ids > rows / kUnusualPadding) {
    report->notes.push_back("the " + std::string(name) + " vocabulary has " + std::to_string(num_ids) +
                            " entries, the model's table " + std::to_string(rows) + " rows: is it this model's?");
  }
  return Status();
}

}  // namespace

Result<std::vector<int32_t>> ids_before_last(const SentencePieceModel& model, const std::string& text) {
  DRAGOMAN_ASSIGN_OR_RETURN(const TokenizerData data, build_tokenizer(model));
  DRAGOMAN_ASSIGN_OR_RETURN(std::vector<int32_t> ids, encode_text(data, text));
  if (!ids.empty()) ids.pop_back();
  return ids;
}

Result<HuggingFaceVocabulary> read_hugging_face_vocabulary(const VocabularyRequest& request, ConvertReport* report) {
  DRAGOMAN_ASSIGN_OR_RETURN(HuggingFaceVocabulary vocabulary, read_folder(request, report));
  DRAGOMAN_RETURN_IF_ERROR(check_side(request, vocabulary.source, request.facts.source_vocabulary, "source", report));
  const TokenizerData& target = vocabulary.target.has_value() ? *vocabulary.target : vocabulary.source;
  DRAGOMAN_RETURN_IF_ERROR(check_side(request, target, request.facts.target_vocabulary, "target", report));
  compare_with_tokenizer_json(request.folder, vocabulary, report);
  return vocabulary;
}

}  // namespace dragoman::converter
