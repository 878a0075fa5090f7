// Neighbours: ctranslate2_text.h.
#include "converter/ctranslate2_text.h"

#include <algorithm>

#include "converter/arranged_pieces.h"
#include "converter/formats/mapped_file.h"
#include "converter/frontends/ctranslate2.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr float kMaxLengthFactor = 3.0f;
constexpr uint32_t kMaxLength = 256;  // CTranslate2's own default

std::string setting(const Source& source, const char* key, const std::string& fallback) {
  const auto at = source.generation.find(key);
  return at == source.generation.end() ? fallback : at->second.text();
}

int32_t id_of(const std::vector<std::string>& tokens, const std::string& token) {
  const auto at = std::find(tokens.begin(), tokens.end(), token);
  return at == tokens.end() ? -1 : static_cast<int32_t>(at - tokens.begin());
}

using Mapped = std::shared_ptr<const MappedFile>;

// The named file, or the first of `names` that is there; null: none. Adds it to those `read`.
Result<Mapped> open_pieces(const SourceFolder& folder, const std::string& named, std::vector<const char*> names,
                           std::vector<std::string>* read) {
  if (!named.empty()) {
    if (std::find(read->begin(), read->end(), named) == read->end()) read->push_back(named);
    DRAGOMAN_ASSIGN_OR_RETURN(std::unique_ptr<MappedFile> file, MappedFile::open(named));
    return Mapped(std::move(file));
  }
  for (const char* name : names) {
    if (!folder.has(name)) continue;
    folder.list(name, read);
    return folder.open(name);
  }
  return Mapped();
}

struct Names {
  std::string unknown, end;
  std::string prefix;  // a token that every translation begins with; empty: none
};

// Argos Translate's own settings for its packages.
constexpr uint32_t kArgosBeam = 4;
constexpr float kArgosLengthPenalty = 0.2f;

Result<TokenizerData> read_side(const std::vector<std::string>& tokens, const Mapped& model, const Names& names) {
  if (model == nullptr) {
    MarianVocab vocab;
    vocab.tokens = tokens;
    vocab.end_id = id_of(tokens, names.end);
    vocab.unknown_id = id_of(tokens, names.unknown);
    return build_tokenizer(vocab);
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const SentencePieceModel pieces, read_sentencepiece_model(model->bytes()));
  std::vector<DictionaryEntry> dictionary;
  for (const std::string& token : tokens) {
    const bool special = token == names.unknown || token == names.end || token == names.prefix || token == "<s>" ||
                         token == "<pad>" || token == "<blank>" || (token.starts_with(">>") && token.ends_with("<<"));
    dictionary.push_back({token, special});
  }
  return arrange_pieces(pieces, dictionary, names.unknown);
}

Status named(const std::string& path, const Status& status) {
  return Status::error(status.code(), "%s: %s", path.c_str(), status.message());
}

Status set_argos_defaults(const std::vector<std::string>& tokens, const std::string& prefix,
                          schema::GenerationT* generation) {
  generation->beam_size = kArgosBeam;
  generation->length_penalty = kArgosLengthPenalty;
  if (prefix.empty()) return Status();
  const int32_t id = id_of(tokens, prefix);
  if (id < 0) {
    return Status::error(Code::kUnsupported, "metadata.json: target_prefix '%.80s' is no token", prefix.c_str());
  }
  generation->forced_ids.push_back(id);
  return Status();
}

}  // namespace

CTranslate2Text::CTranslate2Text() : generation(std::make_unique<schema::GenerationT>()) {}
CTranslate2Text::CTranslate2Text(CTranslate2Text&&) noexcept = default;
CTranslate2Text::~CTranslate2Text() = default;

Result<CTranslate2Text> read_ctranslate2_text(const SourceFiles& files, const Source& source, const NetworkFacts& facts,
                                              ConvertReport* report) {
  CTranslate2Text text;
  DRAGOMAN_ASSIGN_OR_RETURN(const CTranslate2Tokens tokens, read_ctranslate2_tokens(files.folder));
  text.files = tokens.files;
  if (tokens.source.size() > facts.source_vocabulary || tokens.target.size() > facts.target_vocabulary) {
    return Status::error(Code::kInvalidArgument, "%s: %zu source and %zu target tokens, but the tables have %u and %u",
                         files.model.c_str(), tokens.source.size(), tokens.target.size(), facts.source_vocabulary,
                         facts.target_vocabulary);
  }
  const Names names{setting(source, "unk_token", "<unk>"), setting(source, "eos_token", "</s>"),
                    files.package == nullptr ? "" : files.package->target_prefix()};
  const int32_t end = id_of(tokens.target, names.end);
  if (end < 0 || id_of(tokens.source, names.unknown) < 0 || id_of(tokens.target, names.unknown) < 0) {
    return Status::error(Code::kUnsupported, "%s: no end token '%s' or no unknown token '%s' among the tokens",
                         files.model.c_str(), names.end.c_str(), names.unknown.c_str());
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const Mapped source_model,
                            open_pieces(files.folder, files.source_vocabulary,
                                        {"source.spm", "sentencepiece.model", "../sentencepiece.model"}, &text.files));
  DRAGOMAN_ASSIGN_OR_RETURN(Mapped target_model,
                            open_pieces(files.folder, files.target_vocabulary, {"target.spm"}, &text.files));
  if (target_model == nullptr) target_model = source_model;
  if (source_model == nullptr)
    report->notes.push_back("no SentencePiece model: text has to come as pieces with spaces");
  Result<TokenizerData> from = read_side(tokens.source, source_model, names);
  if (!from.ok()) return named(source_model == nullptr ? files.model : source_model->path(), from.status());
  text.source = std::move(from.value());
  if (!tokens.shared || source_model != target_model) {
    Result<TokenizerData> to = read_side(tokens.target, target_model, names);
    if (!to.ok()) return named(target_model == nullptr ? files.model : target_model->path(), to.status());
    text.target = std::move(to.value());
  }
  const auto zero = source.options.find("decoder/start_from_zero_embedding");
  const bool marian = zero != source.options.end() && zero->second.text() == "1";
  schema::GenerationT& generation = *text.generation;
  generation.end_id = end;
  generation.unknown_id = id_of(tokens.target, names.unknown);
  generation.start_id = marian ? -1 : id_of(tokens.target, setting(source, "decoder_start_token", "<s>"));
  // Marian's sources always end in the end token, whoever adds it.
  generation.append_end = marian || setting(source, "add_source_eos", "false") == "true";
  generation.suppressed = {generation.unknown_id};
  for (size_t id = tokens.target.size(); id < facts.target_vocabulary; ++id) {
    generation.suppressed.push_back(static_cast<int32_t>(id));
  }
  generation.beam_rule = schema::BeamRule::HuggingFace;
  generation.early_stopping = schema::EarlyStopping::AtOnce;
  // How many heads of the alignment layer CTranslate2 averages; one is its rule.
  if (const auto heads = source.options.find("decoder/alignment_heads"); heads != source.options.end()) {
    generation.alignment_head = heads->second.text() == "1" ? 0 : -1;
  }
  generation.max_length = kMaxLength;
  generation.max_length_factor = kMaxLengthFactor;
  if (files.package != nullptr) DRAGOMAN_RETURN_IF_ERROR(set_argos_defaults(tokens.target, names.prefix, &generation));
  return text;
}

}  // namespace dragoman::converter
