// Neighbours: languages.h; tasks of T5 are read in translation_tasks.cc.
#include "converter/languages.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "converter/language_scheme.h"
#include "converter/translation_tasks.h"
#include "schema/model_generated.h"
#include "text/language_tag.h"

namespace dragoman::converter {
namespace {

using Languages = std::vector<std::unique_ptr<schema::LanguageT>>;

// FLORES-200 gives Santali another script than it is written in.
constexpr std::string_view kFloresSantali = "sat_Beng";

std::string setting(const Options& options, const char* key) {
  const auto at = options.find(key);
  return at == options.end() ? "" : at->second.text();
}

std::string_view piece(const TokenizerData& data, size_t id) {
  const uint32_t begin = data.piece_offsets[id];
  return std::string_view(data.piece_bytes).substr(begin, data.piece_offsets[id + 1] - begin);
}

// Only tokens that text never becomes are the engine's to place.
Languages find_tokens(const LanguageRequest& request) {
  Languages found;
  const TokenizerData& data = request.vocabulary.source;
  for (size_t id = 0; id < data.options.num_ids; ++id) {
    if (data.piece_types[id] != static_cast<uint8_t>(PieceType::kControl)) continue;
    const std::string name(language_in_token(request.source, piece(data, id)));
    if (name.empty()) continue;
    auto language = std::make_unique<schema::LanguageT>();
    language->name = name;
    language->code = language_tag(name);
    language->token = static_cast<int32_t>(id);
    found.push_back(std::move(language));
  }
  return found;
}

void copy(const Languages& from, Languages* to) {
  for (const auto& language : from) to->push_back(std::make_unique<schema::LanguageT>(*language));
}

int32_t index_of_token(const Languages& languages, int32_t token) {
  for (size_t i = 0; i < languages.size(); ++i) {
    if (token >= 0 && languages[i]->token == token) return static_cast<int32_t>(i);
  }
  return -1;
}

Result<int32_t> index_of_name(const Languages& languages, const std::string& name) {
  if (name.empty()) return -1;
  text::LanguageSearch search(name);
  for (const auto& language : languages) search.offer(language->code, language->name);
  if (search.outcome() == text::LanguageSearch::Outcome::kFound) return static_cast<int32_t>(search.index());
  return Status::error(Code::kNotFound, "language '%s' is not one of the model's %zu, or could be several",
                       name.c_str(), languages.size());
}

// The first of the names that the model has; -1: none.
int32_t first_known(const Languages& languages, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Result<int32_t> index = index_of_name(languages, name);
    if (index.ok() && index.value() >= 0) return index.value();
  }
  return -1;
}

Status set_defaults(const LanguageRequest& request, LanguageScheme scheme, schema::ModelT* model,
                    ConvertReport* report) {
  schema::LanguageLayoutT& layout = *model->language_layout;
  const Languages& sources = model->source_languages;
  const Languages& targets = model->target_languages;
  Result<int32_t> source = index_of_name(sources, request.source_language);
  if (!source.ok()) return source.status();
  Result<int32_t> target = index_of_name(targets, request.target_language);
  if (!target.ok()) return target.status();
  layout.default_source = source.value();
  layout.default_target = target.value();
  if (layout.default_source < 0) {
    layout.default_source =
        first_known(sources, {setting(request.vocabulary.tokenizer_config, "src_lang"), usual_source(scheme)});
  }
  if (layout.default_target < 0 && layout.start_is_target) {
    layout.default_target = index_of_token(targets, model->generation->start_id);
  }
  if (layout.default_target < 0 && !model->generation->forced_ids.empty()) {
    layout.default_target = index_of_token(targets, model->generation->forced_ids.front());
  }
  if (layout.default_target < 0) {
    layout.default_target = first_known(targets, {setting(request.vocabulary.tokenizer_config, "tgt_lang")});
  }
  const auto shown = [](const Languages& list, int32_t index) {
    return index < 0 ? std::string("has to be named") : list[static_cast<size_t>(index)]->name + " unless named";
  };
  const std::string shown_source =
      places_source(scheme) ? shown(sources, layout.default_source) : std::string("need not be named");
  report->notes.push_back(std::string(layout_text(scheme)) + "; " + std::to_string(targets.size()) +
                          " languages; source " + shown_source + ", target " + shown(targets, layout.default_target));
  return Status();
}

}  // namespace

std::string language_tag(const std::string& name) {
  text::LanguageTag tag;
  if (name == kFloresSantali) return "sat";
  if (!tag.parse(name)) return name;
  std::string code(text::canonical_language(tag));
  const text::LanguageRow* row = text::find_language_row(tag.language);
  const std::string_view usual = row == nullptr ? "Latn" : row->script;
  // Chinese always says which script.
  const std::string_view script = tag.script;
  if (!script.empty() && (text::script_of(tag) != usual || code == "zh")) code += "-" + std::string(script);
  if (tag.region[0] != '\0') code += "-" + std::string(tag.region);
  return code;
}

bool is_language_tag(std::string_view name) { return text::LanguageTag().parse(name); }

std::string single_language(const std::string& name) {
  text::LanguageTag tag;
  if (!tag.parse(name) || text::find_language_row(tag.language) == nullptr) return "";
  return language_tag(name);
}

Status add_languages(const LanguageRequest& request, schema::ModelT* model, ConvertReport* report) {
  const Languages found = find_tokens(request);
  if (found.empty()) return add_translation_tasks(request, model, report);
  const std::string_view token = piece(request.vocabulary.source, static_cast<size_t>(found.front()->token));
  const LanguageScheme scheme =
      scheme_of(request.source, request.vocabulary.tokenizer_config, request.folder, token, found.size());
  model->language_layout = layout_of(scheme, model->generation->end_id);
  auto& prefix = model->language_layout->source_prefix;
  const std::vector<int32_t>& lead = request.vocabulary.before_language;
  prefix.insert(prefix.begin(), lead.begin(), lead.end());
  copy(found, &model->target_languages);
  if (scheme == LanguageScheme::kOpus) {
    const std::string source = single_language(setting(request.vocabulary.tokenizer_config, "source_lang"));
    if (!source.empty()) {
      model->source_languages.push_back(std::make_unique<schema::LanguageT>());
      model->source_languages.back()->code = source;
    }
  } else {
    copy(found, &model->source_languages);
  }
  return set_defaults(request, scheme, model, report);
}

}  // namespace dragoman::converter
