// Neighbours: ctranslate2_vocabulary.h.
#include "converter/ctranslate2_vocabulary.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "converter/arranged_pieces.h"
#include "converter/formats/json_options.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/tokenizer_json.h"
#include "converter/language_scheme.h"
#include "converter/tokenizer_json_vocabulary.h"

namespace dragoman::converter {
namespace {

using Mapped = std::shared_ptr<const MappedFile>;
using Tokens = std::vector<std::string>;

constexpr const char* kSourceModels[] = {"source.spm", "sentencepiece.model", "../sentencepiece.model"};
// As Hugging Face's folders name them: their tokenizers put the end token behind every text.
constexpr const char* kHuggingFaceModels[] = {"sentencepiece.bpe.model", "spiece.model"};
constexpr char kTokenizerConfig[] = "tokenizer_config.json";

bool is_hugging_face(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return std::any_of(std::begin(kHuggingFaceModels), std::end(kHuggingFaceModels),
                     [&name](const char* own) { return name == own; });
}

Status named(const std::string& path, const Status& status) {
  return Status::error(status.code(), "%s: %s", path.c_str(), status.message());
}

class Reader {
 public:
  Reader(const SourceFiles& files, const Source& source, const CTranslate2Tokens& tokens, const CTranslate2Names& names)
      : files_(files), folder_(files.folder), source_(source), tokens_(tokens), names_(names) {}

  Result<HuggingFaceVocabulary> read(ConvertReport* report) {
    result_.files = tokens_.files;
    if (folder_.has(kTokenizerConfig)) {
      folder_.list(kTokenizerConfig, &result_.files);
      DRAGOMAN_ASSIGN_OR_RETURN(const Mapped file, folder_.open(kTokenizerConfig));
      DRAGOMAN_ASSIGN_OR_RETURN(result_.tokenizer_config, parse_json_options(file->bytes(), file->path()));
    }
    DRAGOMAN_ASSIGN_OR_RETURN(Mapped from, open_pieces(files_.source_vocabulary, kSourceModels));
    if (from == nullptr) {
      DRAGOMAN_ASSIGN_OR_RETURN(from, open_pieces("", kHuggingFaceModels));
    }
    const int32_t end = id_of_token(tokens_.source, names_.end);
    if (from != nullptr && is_hugging_face(from->path()) && end >= 0) result_.source_suffix = {end};
    if (from == nullptr && tokens_.shared && folder_.has(kTokenizerJson)) return tokenizer_json();
    DRAGOMAN_ASSIGN_OR_RETURN(Mapped to, open_pieces(files_.target_vocabulary, std::vector{"target.spm"}));
    if (to == nullptr) to = from;
    if (from == nullptr) report->notes.push_back("no SentencePiece model: text has to come as pieces with spaces");
    DRAGOMAN_ASSIGN_OR_RETURN(result_.source, side(tokens_.source, from));
    if (!tokens_.shared || from != to) {
      DRAGOMAN_ASSIGN_OR_RETURN(result_.target, side(tokens_.target, to));
    }
    return std::move(result_);
  }

 private:
  // The named file, or the first of `candidates` that is there; null: none.
  template <typename Names>
  Result<Mapped> open_pieces(const std::string& path, const Names& candidates) {
    if (!path.empty()) {
      std::vector<std::string>& read = result_.files;
      if (std::find(read.begin(), read.end(), path) == read.end()) read.push_back(path);
      DRAGOMAN_ASSIGN_OR_RETURN(std::unique_ptr<MappedFile> file, MappedFile::open(path));
      return Mapped(std::move(file));
    }
    for (const char* name : candidates) {
      if (!folder_.has(name)) continue;
      folder_.list(name, &result_.files);
      return folder_.open(name);
    }
    return Mapped();
  }

  // A token that text never becomes.
  bool is_special(const std::string& token) const {
    return token == names_.unknown || token == names_.end || token == names_.prefix || token == "<s>" ||
           token == "<pad>" || token == "<blank>" || token == "<mask>" || token.starts_with("<extra_id_") ||
           (token.starts_with(">>") && token.ends_with("<<")) || is_filler(token) ||
           !language_in_token(source_, token).empty();
  }

  Result<TokenizerData> side(const Tokens& tokens, const Mapped& model) {
    Result<TokenizerData> data = model == nullptr ? words(tokens) : arranged(tokens, *model);
    return data.ok() ? std::move(data) : named(model == nullptr ? files_.model : model->path(), data.status());
  }

  Result<TokenizerData> words(const Tokens& tokens) const {
    MarianVocab vocab;
    vocab.tokens = tokens;
    vocab.end_id = id_of_token(tokens, names_.end);
    vocab.unknown_id = id_of_token(tokens, names_.unknown);
    return build_tokenizer(vocab);
  }

  Result<TokenizerData> arranged(const Tokens& tokens, const MappedFile& model) {
    DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel pieces, read_sentencepiece_model(model.bytes()));
    std::vector<DictionaryEntry> dictionary;
    for (const std::string& token : tokens) dictionary.push_back({token, is_special(token)});
    const auto madlad = std::find_if(tokens.begin(), tokens.end(), [this](const std::string& token) {
      return token.starts_with("<2") && !language_in_token(source_, token).empty();
    });
    if (madlad != tokens.end()) {
      DRAGOMAN_ASSIGN_OR_RETURN(result_.before_language, ids_before_last(pieces, *madlad));
    }
    return arrange_pieces(pieces, dictionary, names_.unknown);
  }

  // Its ids have to be those of the list.
  Result<HuggingFaceVocabulary> tokenizer_json() {
    const std::string path = folder_.path(kTokenizerJson);
    DRAGOMAN_ASSIGN_OR_RETURN(const Mapped file, folder_.open(kTokenizerJson));
    const Result<TokenizerJson> json = read_tokenizer_json(file->bytes());
    if (!json.ok()) return named(path, json.status());
    const std::vector<ScoredToken>& own = json.value().tokens;
    for (size_t id = 0; id < own.size(); ++id) {
      if (id < tokens_.source.size() && (own[id].text.empty() || own[id].text == tokens_.source[id])) continue;
      return Status::error(Code::kInvalidArgument, "%s: token %zu is '%.80s', but '%.80s' in the model's list",
                           path.c_str(), id, own[id].text.c_str(),
                           id < tokens_.source.size() ? tokens_.source[id].c_str() : "");
    }
    DRAGOMAN_ASSIGN_OR_RETURN(HuggingFaceVocabulary read, read_tokenizer_json_vocabulary(path, source_));
    read.files.insert(read.files.end(), result_.files.begin(), result_.files.end());
    read.tokenizer_config = std::move(result_.tokenizer_config);
    return read;
  }

  const SourceFiles& files_;
  const SourceFolder& folder_;
  const Source& source_;
  const CTranslate2Tokens& tokens_;
  const CTranslate2Names& names_;
  HuggingFaceVocabulary result_;
};

}  // namespace

int32_t id_of_token(const std::vector<std::string>& tokens, const std::string& token) {
  const auto at = std::find(tokens.begin(), tokens.end(), token);
  return at == tokens.end() ? -1 : static_cast<int32_t>(at - tokens.begin());
}

bool is_filler(const std::string& token) { return token.starts_with("madeupword"); }

Result<HuggingFaceVocabulary> read_ctranslate2_vocabulary(const SourceFiles& files, const Source& source,
                                                          const CTranslate2Tokens& tokens,
                                                          const CTranslate2Names& names, ConvertReport* report) {
  return Reader(files, source, tokens, names).read(report);
}

}  // namespace dragoman::converter
