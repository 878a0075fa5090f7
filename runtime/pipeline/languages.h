// The languages of one call: from the names that the caller gives to the ids around a text.
// Neighbours: text/language_tag understands names, the model file says where tokens stand; TextParts and PairParts put
// them there, translate_options begins the output with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "pipeline/model.h"

namespace dragoman::pipeline {

enum class Side : uint8_t { kSource, kTarget };

size_t num_languages(const model::ModelView& view, Side side);
model::LanguageInfo language(const model::ModelView& view, Side side, size_t index);

struct FoundLanguage {
  size_t index = 0;
  bool inexact = false;  // the name asked for a region that the model does not tell apart
};

// The language that `name` means. kNotFound lists the model's languages, as far as they fit. Allocates nothing.
Result<FoundLanguage> find_language(const model::ModelView& view, Side side, std::string_view name);

// What stands around a text, and how its translation begins. A plain value; lists without the tokens that are not
// known yet.
struct SequenceLayout {
  int32_t source = -1;  // index of the language; -1: the model does not say or need not know
  int32_t target = -1;
  const char* source_code = "";  // BCP 47, or ""
  const char* target_code = "";
  bool target_in_text = false;  // a text may begin with its own target
  bool needs_target = false;    // ... and has to
  int32_t start_id = -1;

  std::span<const int32_t> prefix() const { return {prefix_, num_prefix_}; }
  std::span<const int32_t> suffix() const { return {suffix_, num_suffix_}; }
  std::span<const int32_t> forced() const { return {forced_, num_forced_}; }

  // Fills everything that follows from `source` and `target`.
  void place_tokens(const model::ModelView& view);

 private:
  size_t num_prefix_ = 0, num_suffix_ = 0, num_forced_ = 0;
  int32_t prefix_[model::kMaxLayoutIds] = {};
  int32_t suffix_[model::kMaxLayoutIds] = {};
  int32_t forced_[model::kMaxLayoutIds] = {};
};

// What the caller asks for; null: the model's default.
struct LanguageNames {
  const char* source = nullptr;
  const char* target = nullptr;
};

// The layout for texts. Errors: kNotFound for a language that the model lacks, kInvalidArgument when one has to be
// named; both list the languages. Allocates nothing.
Result<SequenceLayout> text_layout(const Model& model, const LanguageNames& names);

// For inputs that are ids already: nothing stands around them, and without a target named the output begins as the
// model's settings say.
Result<SequenceLayout> id_layout(const Model& model, const LanguageNames& names);

// The ids with which every translation begins: the layout's, or else those of the model's settings. Borrows from both.
std::span<const int32_t> forced_ids(const Model& model, const SequenceLayout& layout);

// A target at the beginning of a text: ">>fra<< Hello". Blanks around it belong to it.
struct TextTarget {
  std::string_view name;  // empty: there is none
  size_t end = 0;         // where the text goes on
};
TextTarget target_of_text(std::string_view text);

// Replaces the layout's target by that of a text. kNotFound when the model does not know it.
Status set_target(const Model& model, std::string_view name, SequenceLayout* layout);

}  // namespace dragoman::pipeline
