// Neighbours: ctranslate2_text.h.
#include "converter/ctranslate2_text.h"

#include <algorithm>
#include <utility>

#include "converter/ctranslate2_vocabulary.h"
#include "converter/frontends/ctranslate2.h"
#include "converter/language_scheme.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr float kMaxLengthFactor = 3.0f;
constexpr uint32_t kMaxLength = 256;  // CTranslate2's own default

// Argos Translate's own settings for its packages.
constexpr uint32_t kArgosBeam = 4;
constexpr float kArgosLengthPenalty = 0.2f;

// As config.json has it; empty: it is null there.
std::string setting(const Source& source, const char* key, const std::string& fallback) {
  const auto at = source.generation.find(key);
  return at == source.generation.end() ? fallback : at->second.text();
}

bool is_set(const Source& source, const char* key) { return setting(source, key, "false") == "true"; }

uint32_t depth_of(const Source& source, const std::string& side) {
  uint32_t depth = 0;
  while (source.find(side + "/layer_" + std::to_string(depth) + "/ffn/linear_0/weight") != nullptr) ++depth;
  return depth;
}

void name_model_type(const std::vector<std::string>& tokens, Source* source) {
  const std::string type = model_type_of(tokens);
  if (type.empty()) return;
  source->options["model_type"].items = {type};
  source->options["encoder_layers"].items = {std::to_string(depth_of(*source, "encoder"))};
  source->options["decoder_layers"].items = {std::to_string(depth_of(*source, "decoder"))};
}

Status check_tokens(const CTranslate2Tokens& tokens, const NetworkFacts& facts, const CTranslate2Names& names,
                    const std::string& folder) {
  if (tokens.source.size() > facts.source_vocabulary || tokens.target.size() > facts.target_vocabulary) {
    return Status::error(Code::kInvalidArgument, "%s: %zu source and %zu target tokens, but the tables have %u and %u",
                         folder.c_str(), tokens.source.size(), tokens.target.size(), facts.source_vocabulary,
                         facts.target_vocabulary);
  }
  if (id_of_token(tokens.target, names.end) >= 0 && id_of_token(tokens.source, names.unknown) >= 0 &&
      id_of_token(tokens.target, names.unknown) >= 0) {
    return Status();
  }
  return Status::error(Code::kUnsupported, "%s: no end token '%s' or no unknown token '%s' among the tokens",
                       folder.c_str(), names.end.c_str(), names.unknown.c_str());
}

// As Marian has it.
bool starts_with_zeros(const Source& source) {
  const auto zero = source.options.find("decoder/start_from_zero_embedding");
  return zero != source.options.end() && zero->second.text() == "1";
}

// -1: with a zero embedding, or, where config.json has null, with the target language's token.
Result<int32_t> start_id(const Source& source, const CTranslate2Tokens& tokens, const std::string& folder) {
  const std::string token = setting(source, "decoder_start_token", "<s>");
  const auto type = source.options.find("model_type");
  const bool mbart = type != source.options.end() && type->second.text() == "mbart";
  if (starts_with_zeros(source) || (token.empty() && mbart)) return -1;
  const int32_t id = id_of_token(tokens.target, token);
  if (id >= 0) return id;
  return Status::error(Code::kUnsupported, "%s: config.json: decoder_start_token is %s, which is no target token",
                       folder.c_str(), token.empty() ? "null" : ("'" + token + "'").c_str());
}

// Ids around a text that config.json asks for.
Status add_ids_around(const Source& source, const CTranslate2Tokens& tokens, const std::string& folder,
                      CTranslate2Text* text) {
  HuggingFaceVocabulary& vocabulary = text->vocabulary;
  text->generation->append_end |= !vocabulary.source_suffix.empty() || is_set(source, "add_source_eos");
  if (!is_set(source, "add_source_bos")) return Status();
  const std::string begin = setting(source, "bos_token", "<s>");
  const int32_t id = id_of_token(tokens.source, begin);
  if (id < 0) {
    return Status::error(Code::kUnsupported, "%s: config.json: add_source_bos is true, but bos_token '%s' is no token",
                         folder.c_str(), begin.c_str());
  }
  for (std::vector<int32_t>* ids : {&vocabulary.source_prefix, &vocabulary.before_language}) {
    if (ids->empty() || ids->front() != id) ids->insert(ids->begin(), id);
  }
  vocabulary.source_suffix.clear();
  if (text->generation->append_end) vocabulary.source_suffix.push_back(text->generation->end_id);
  return Status();
}

// The runtime knows one end token for both sides.
Status check_source_end(const CTranslate2Tokens& tokens, const CTranslate2Names& names,
                        const schema::GenerationT& generation, const std::string& folder) {
  const int32_t id = id_of_token(tokens.source, names.end);
  if (!generation.append_end || id == generation.end_id) return Status();
  return Status::error(
      Code::kUnsupported,
      "%s: end token '%s' is %d among the source tokens, but %d among the target's: they have to agree", folder.c_str(),
      names.end.c_str(), id, generation.end_id);
}

void suppress(const std::vector<std::string>& tokens, const NetworkFacts& facts, schema::GenerationT* generation) {
  generation->suppressed = {generation->unknown_id};
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (is_filler(tokens[id])) generation->suppressed.push_back(static_cast<int32_t>(id));
  }
  for (size_t id = tokens.size(); id < facts.target_vocabulary; ++id) {
    generation->suppressed.push_back(static_cast<int32_t>(id));
  }
}

void set_search(const Source& source, schema::GenerationT* generation) {
  generation->beam_rule = schema::BeamRule::HuggingFace;
  generation->early_stopping = schema::EarlyStopping::AtOnce;
  // How many heads of the alignment layer CTranslate2 averages; one is its rule.
  if (const auto heads = source.options.find("decoder/alignment_heads"); heads != source.options.end()) {
    generation->alignment_head = heads->second.text() == "1" ? 0 : -1;
  }
  generation->max_length = kMaxLength;
  generation->max_length_factor = kMaxLengthFactor;
}

Status set_argos_defaults(const std::vector<std::string>& tokens, const std::string& prefix,
                          schema::GenerationT* generation) {
  generation->beam_size = kArgosBeam;
  generation->length_penalty = kArgosLengthPenalty;
  if (prefix.empty()) return Status();
  const int32_t id = id_of_token(tokens, prefix);
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

Result<CTranslate2Text> read_ctranslate2_text(const SourceFiles& files, const NetworkFacts& facts, Source* source,
                                              ConvertReport* report) {
  CTranslate2Text text;
  DRAGOMAN_ASSIGN_OR_RETURN(const CTranslate2Tokens tokens, read_ctranslate2_tokens(files.folder));
  const CTranslate2Names names{setting(*source, "unk_token", "<unk>"), setting(*source, "eos_token", "</s>"),
                               files.package == nullptr ? "" : files.package->target_prefix()};
  DRAGOMAN_RETURN_IF_ERROR(check_tokens(tokens, facts, names, files.model));
  // Argos Translate places no token of a language but the prefix of the target.
  if (files.package == nullptr) name_model_type(tokens.source, source);
  DRAGOMAN_ASSIGN_OR_RETURN(text.vocabulary, read_ctranslate2_vocabulary(files, *source, tokens, names, report));
  schema::GenerationT& generation = *text.generation;
  generation.end_id = id_of_token(tokens.target, names.end);
  generation.unknown_id = id_of_token(tokens.target, names.unknown);
  DRAGOMAN_ASSIGN_OR_RETURN(generation.start_id, start_id(*source, tokens, files.model));
  text.start_is_language = generation.start_id < 0 && !starts_with_zeros(*source);
  // Marian's sources always end in the end token, whoever adds it.
  generation.append_end = starts_with_zeros(*source);
  DRAGOMAN_RETURN_IF_ERROR(add_ids_around(*source, tokens, files.model, &text));
  DRAGOMAN_RETURN_IF_ERROR(check_source_end(tokens, names, generation, files.model));
  suppress(tokens.target, facts, &generation);
  set_search(*source, &generation);
  if (files.package != nullptr) DRAGOMAN_RETURN_IF_ERROR(set_argos_defaults(tokens.target, names.prefix, &generation));
  return text;
}

}  // namespace dragoman::converter
