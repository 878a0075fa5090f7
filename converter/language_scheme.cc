// Neighbours: language_scheme.h. Sources: the tokenizers of transformers 5.24 (nllb, m2m_100, mbart, mbart50, marian),
// SMaLL-100's own tokenizer, the MADLAD-400 model card.
#include "converter/language_scheme.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "converter/languages.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr int32_t kSource = static_cast<int32_t>(schema::LanguageToken::Source);
constexpr int32_t kTarget = static_cast<int32_t>(schema::LanguageToken::Target);
constexpr size_t kMbart50Languages = 52;
// SMaLL-100 is M2M100 with a deep encoder and a shallow decoder.
constexpr const char* kSmall100Depths[] = {"12", "3"};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool all(std::string_view text, bool (*accepts)(char)) { return std::all_of(text.begin(), text.end(), accepts); }

// What stands between `begin` and `end`, or "".
std::string_view between(std::string_view token, std::string_view begin, std::string_view end) {
  if (token.size() <= begin.size() + end.size() || !token.starts_with(begin) || !token.ends_with(end)) return {};
  return token.substr(begin.size(), token.size() - begin.size() - end.size());
}

// "eng_Latn"
bool is_flores(std::string_view token) {
  return token.size() == 8 && token[3] == '_' && all(token.substr(0, 3), is_lower) && is_upper(token[4]) &&
         all(token.substr(5), is_lower);
}

// "en_XX"
bool is_mbart(std::string_view token) {
  return token.size() == 5 && token[2] == '_' && all(token.substr(0, 2), is_lower) && all(token.substr(3), is_upper);
}

std::string setting(const Options& options, const char* key) {
  const auto at = options.find(key);
  return at == options.end() ? "" : at->second.text();
}

bool has_type(const Source& source, const char* type) { return setting(source.options, "model_type") == type; }

std::string_view language_in(std::string_view type, std::string_view token) {
  if (type == "marian") return between(token, ">>", "<<");
  if (type == "m2m_100") return is_flores(token) ? token : between(token, "__", "__");
  if (type == "mbart") return is_mbart(token) ? token : std::string_view();
  const bool t5 = type == "t5" || type == "mt5" || type == "umt5";
  const std::string_view name = t5 ? between(token, "<2", ">") : std::string_view();
  // MADLAD has tokens for other tasks, too: <2translate>, <2back_translated>.
  return is_language_tag(name) ? name : std::string_view();
}

bool names_small100(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.find("small100") != std::string::npos || text.find("small-100") != std::string::npos;
}

bool is_small100(const Source& source, const Options& tokenizer_config, const std::string& folder) {
  std::error_code error;
  return names_small100(setting(tokenizer_config, "tokenizer_class")) ||
         names_small100(setting(tokenizer_config, "auto_map")) ||
         names_small100(setting(source.options, "_name_or_path")) ||
         std::filesystem::exists(std::filesystem::path(folder) / "tokenization_small100.py", error) ||
         (setting(source.options, "encoder_layers") == kSmall100Depths[0] &&
          setting(source.options, "decoder_layers") == kSmall100Depths[1]);
}

}  // namespace

std::string_view language_in_token(const Source& source, std::string_view token) {
  return language_in(setting(source.options, "model_type"), token);
}

std::string model_type_of(const std::vector<std::string>& tokens) {
  for (const char* type : {"m2m_100", "mbart", "marian", "t5"}) {
    const auto languages = std::count_if(tokens.begin(), tokens.end(), [type](const std::string& token) {
      return is_language_tag(language_in(type, token));
    });
    if (languages > 1) return type;
  }
  return "";
}

LanguageScheme scheme_of(const Source& source, const Options& tokenizer_config, const std::string& folder,
                         std::string_view token, size_t num_languages) {
  if (has_type(source, "marian")) return LanguageScheme::kOpus;
  if (has_type(source, "mbart")) {
    const std::string name = setting(tokenizer_config, "tokenizer_class");
    const bool fifty = name.starts_with("MBart50") || (name.empty() && num_languages >= kMbart50Languages);
    return fifty ? LanguageScheme::kMbart50 : LanguageScheme::kMbart;
  }
  if (!has_type(source, "m2m_100")) return LanguageScheme::kMadlad;
  if (is_flores(token)) {
    const bool legacy = setting(tokenizer_config, "legacy_behaviour") == "true";
    return legacy ? LanguageScheme::kNllbLegacy : LanguageScheme::kNllb;
  }
  return is_small100(source, tokenizer_config, folder) ? LanguageScheme::kSmall100 : LanguageScheme::kM2m100;
}

std::unique_ptr<schema::LanguageLayoutT> layout_of(LanguageScheme scheme, int32_t end_id) {
  auto layout = std::make_unique<schema::LanguageLayoutT>();
  layout->source_suffix = {end_id};
  switch (scheme) {
    case LanguageScheme::kNllb:
    case LanguageScheme::kM2m100:
    case LanguageScheme::kMbart50:
      layout->source_prefix = {kSource};
      layout->forced_ids = {kTarget};
      break;
    case LanguageScheme::kNllbLegacy:
      layout->source_suffix = {end_id, kSource};
      layout->forced_ids = {kTarget};
      break;
    case LanguageScheme::kMbart:
      layout->source_suffix = {end_id, kSource};
      layout->start_is_target = true;
      break;
    case LanguageScheme::kOpus: layout->target_in_text = true; [[fallthrough]];
    case LanguageScheme::kSmall100:
    case LanguageScheme::kMadlad: layout->source_prefix = {kTarget}; break;
  }
  return layout;
}

bool places_source(LanguageScheme scheme) {
  return scheme != LanguageScheme::kSmall100 && scheme != LanguageScheme::kOpus && scheme != LanguageScheme::kMadlad;
}

const char* usual_source(LanguageScheme scheme) {
  switch (scheme) {
    case LanguageScheme::kNllb:
    case LanguageScheme::kNllbLegacy: return "eng_Latn";
    case LanguageScheme::kM2m100: return "en";
    case LanguageScheme::kMbart:
    case LanguageScheme::kMbart50: return "en_XX";
    default: return "";
  }
}

const char* layout_text(LanguageScheme scheme) {
  switch (scheme) {
    case LanguageScheme::kNllb: return "NLLB: source language, text, </s>; the target language is forced";
    case LanguageScheme::kNllbLegacy:
      return "NLLB with legacy_behaviour: text, </s>, source language; the target language is forced";
    case LanguageScheme::kM2m100: return "M2M100: source language, text, </s>; the target language is forced";
    case LanguageScheme::kSmall100: return "SMaLL-100: target language, text, </s>";
    case LanguageScheme::kMbart:
      return "mBART: text, </s>, source language; the decoder starts with the target language";
    case LanguageScheme::kMbart50: return "mBART-50: source language, text, </s>; the target language is forced";
    case LanguageScheme::kOpus: return "OPUS-MT with several targets: target language, text, </s>";
    case LanguageScheme::kMadlad: return "MADLAD: target language, text, </s>";
  }
  return "";
}

}  // namespace dragoman::converter
