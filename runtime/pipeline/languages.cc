// Neighbours: languages.h; errors are worded in language_errors.cc.
#include "pipeline/languages.h"

#include <algorithm>

#include "pipeline/language_errors.h"
#include "text/char_class.h"
#include "text/language_tag.h"
#include "text/utf8.h"

namespace dragoman::pipeline {

namespace {

using text::LanguageSearch;

// Names of languages in OPUS-MT's vocabularies are shorter.
constexpr size_t kMaxNameInText = 32;

bool uses(std::span<const int32_t> ids, int32_t token) { return std::find(ids.begin(), ids.end(), token) != ids.end(); }

bool needs_source(const model::LanguageLayoutView& layout) {
  return uses(layout.source_prefix, model::kSourceLanguageToken) ||
         uses(layout.source_suffix, model::kSourceLanguageToken) ||
         uses(layout.forced_ids, model::kSourceLanguageToken);
}

bool needs_target(const model::LanguageLayoutView& layout) {
  return layout.start_is_target || uses(layout.source_prefix, model::kTargetLanguageToken) ||
         uses(layout.source_suffix, model::kTargetLanguageToken) ||
         uses(layout.forced_ids, model::kTargetLanguageToken);
}

// Copies ids, tokens replaced; a token of a language that is not known is left out.
size_t copy_ids(std::span<const int32_t> ids, int32_t source_token, int32_t target_token, int32_t* to) {
  size_t count = 0;
  for (const int32_t id : ids) {
    const int32_t resolved = id == model::kSourceLanguageToken   ? source_token
                             : id == model::kTargetLanguageToken ? target_token
                                                                 : id;
    if (resolved >= 0) to[count++] = resolved;
  }
  return count;
}

// Where the blanks at `at` end.
size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size()) {
    const text::Decoded c = text::decode_one(text, at);
    if (!c.valid || !text::is_blank(c.code_point)) break;
    at += c.bytes;
  }
  return at;
}

// What the pair of the layout's languages has before a text; nothing when it is no pair.
std::span<const int32_t> pair_prefix(const model::ModelView& view, const SequenceLayout& layout) {
  const size_t num_pairs = view.language_layout().num_pairs;
  for (size_t i = 0; i < num_pairs; ++i) {
    const model::LanguagePairInfo pair = view.language_pair(i);
    if (static_cast<int64_t>(pair.source) == layout.source && static_cast<int64_t>(pair.target) == layout.target) {
      return pair.source_prefix;
    }
  }
  return {};
}

// Of a model with a list of pairs: finds the side that is not named when there is one choice only.
Status complete_pair(const model::ModelView& view, SequenceLayout* layout) {
  const size_t num_pairs = view.language_layout().num_pairs;
  size_t num_found = 0;
  model::LanguagePairInfo found;
  for (size_t i = 0; i < num_pairs; ++i) {
    const model::LanguagePairInfo pair = view.language_pair(i);
    const bool fits = (layout->source < 0 || static_cast<int64_t>(pair.source) == layout->source) &&
                      (layout->target < 0 || static_cast<int64_t>(pair.target) == layout->target);
    if (!fits) continue;
    found = pair;
    ++num_found;
  }
  if (num_found != 1) return unknown_pair(view, layout->source, layout->target);
  layout->source = static_cast<int32_t>(found.source);
  layout->target = static_cast<int32_t>(found.target);
  return Status();
}

// The index of the named language, or -1 without a name.
Result<int32_t> named(const model::ModelView& view, Side side, const char* name) {
  if (name == nullptr) return -1;
  DRAGOMAN_ASSIGN_OR_RETURN(const FoundLanguage found, find_language(view, side, name));
  return static_cast<int32_t>(found.index);
}

// The index of the language that a call without a name means, or -1.
int32_t unnamed(const model::ModelView& view, Side side) {
  const model::LanguageLayoutView layout = view.language_layout();
  if (layout.num_pairs == 0 && num_languages(view, side) == 1) return 0;
  return side == Side::kSource ? layout.default_source : layout.default_target;
}

}  // namespace

size_t num_languages(const model::ModelView& view, Side side) {
  return side == Side::kSource ? view.num_source_languages() : view.num_target_languages();
}

model::LanguageInfo language(const model::ModelView& view, Side side, size_t index) {
  return side == Side::kSource ? view.source_language(index) : view.target_language(index);
}

Result<FoundLanguage> find_language(const model::ModelView& view, Side side, std::string_view name) {
  LanguageSearch search(name);
  const size_t count = num_languages(view, side);
  for (size_t i = 0; i < count; ++i) {
    const model::LanguageInfo info = language(view, side, i);
    search.offer(info.code, info.name);
  }
  switch (search.outcome()) {
    case LanguageSearch::Outcome::kFound: return FoundLanguage{search.index(), search.inexact()};
    case LanguageSearch::Outcome::kAmbiguous:
      return ambiguous_language(name, language(view, side, search.index()), language(view, side, search.rival()));
    case LanguageSearch::Outcome::kMalformed: return unknown_language(view, side, name, "is no language tag");
    case LanguageSearch::Outcome::kUnknown: break;
  }
  return unknown_language(view, side, name, "is not one that the model has");
}

void SequenceLayout::place_tokens(const model::ModelView& view) {
  const model::GenerationDefaults generation = view.generation();
  const model::LanguageLayoutView layout = view.language_layout();
  model::LanguageInfo from, to;
  if (source >= 0) from = view.source_language(static_cast<size_t>(source));
  if (target >= 0) to = view.target_language(static_cast<size_t>(target));
  source_code = from.code;
  target_code = to.code;
  start_id = layout.start_is_target && to.token >= 0 ? to.token : generation.start_id;
  if (!layout.present) {
    const int32_t end[] = {generation.end_id};
    num_suffix_ = generation.append_end ? copy_ids(end, -1, -1, suffix_) : 0;
    num_forced_ = 0;
    return;
  }
  const std::span<const int32_t> before = layout.num_pairs > 0 ? pair_prefix(view, *this) : layout.source_prefix;
  num_prefix_ = copy_ids(before, from.token, to.token, prefix_);
  num_suffix_ = copy_ids(layout.source_suffix, from.token, to.token, suffix_);
  num_forced_ = copy_ids(layout.forced_ids, from.token, to.token, forced_);
}

Result<SequenceLayout> text_layout(const Model& model, const LanguageNames& names) {
  const model::ModelView& view = model.view();
  const model::LanguageLayoutView rules = view.language_layout();
  SequenceLayout layout;
  DRAGOMAN_ASSIGN_OR_RETURN(layout.source, named(view, Side::kSource, names.source));
  DRAGOMAN_ASSIGN_OR_RETURN(layout.target, named(view, Side::kTarget, names.target));
  const bool none_named = layout.source < 0 && layout.target < 0;
  if (layout.source < 0) layout.source = unnamed(view, Side::kSource);
  if (layout.target < 0) layout.target = unnamed(view, Side::kTarget);
  layout.target_in_text = names.target == nullptr && rules.target_in_text;
  if (rules.num_pairs > 0) {
    // A text may bring its task along.
    if (!none_named || layout.target >= 0) DRAGOMAN_RETURN_IF_ERROR(complete_pair(view, &layout));
  } else {
    if (layout.source < 0 && needs_source(rules)) return unnamed_language(view, Side::kSource);
    layout.needs_target = layout.target < 0 && needs_target(rules);
    if (layout.needs_target && !layout.target_in_text) return unnamed_language(view, Side::kTarget);
  }
  layout.place_tokens(view);
  return layout;
}

Result<SequenceLayout> id_layout(const Model& model, const LanguageNames& names) {
  const model::ModelView& view = model.view();
  SequenceLayout layout;
  DRAGOMAN_ASSIGN_OR_RETURN(layout.source, named(view, Side::kSource, names.source));
  DRAGOMAN_ASSIGN_OR_RETURN(layout.target, named(view, Side::kTarget, names.target));
  if (!view.language_layout().present) {
    if (layout.source < 0) layout.source = unnamed(view, Side::kSource);
    if (layout.target < 0) layout.target = unnamed(view, Side::kTarget);
  }
  const bool has_start = view.generation().start_id >= 0 || !view.language_layout().start_is_target;
  if (layout.target < 0 && !has_start) return unnamed_language(view, Side::kTarget);
  layout.place_tokens(view);
  return layout;
}

std::span<const int32_t> forced_ids(const Model& model, const SequenceLayout& layout) {
  return layout.forced().empty() ? model.view().generation().forced_ids : layout.forced();
}

TextTarget target_of_text(std::string_view text) {
  const size_t begin = skip_blanks(text, 0);
  if (!text.substr(begin).starts_with(">>")) return {};
  const size_t name_begin = begin + 2;
  const size_t name_end = text.find("<<", name_begin);
  if (name_end == std::string_view::npos || name_end == name_begin || name_end - name_begin > kMaxNameInText) return {};
  const std::string_view name = text.substr(name_begin, name_end - name_begin);
  if (name.find_first_of(" \t\r\n<>") != std::string_view::npos) return {};
  return {name, skip_blanks(text, name_end + 2)};
}

Status set_target(const Model& model, std::string_view name, SequenceLayout* layout) {
  DRAGOMAN_ASSIGN_OR_RETURN(const FoundLanguage found, find_language(model.view(), Side::kTarget, name));
  layout->target = static_cast<int32_t>(found.index);
  layout->needs_target = false;
  layout->place_tokens(model.view());
  return Status();
}

}  // namespace dragoman::pipeline
