// Names of languages as people and models write them, and which of a model's languages a name means.
// Neighbours: language_table.h has the facts; pipeline/languages asks; the converter names a model's languages by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/language_table.h"

namespace dragoman::text {

// A BCP 47 tag taken apart: "zh-Hans-CN", "zho_Hans", "pt_br". Only language, script, region and variants are known.
struct LanguageTag {
  char language[4] = {};  // two or three lower-case letters
  char script[5] = {};    // "Hans"; empty: not given
  char region[4] = {};    // "BR", "419"; empty: not given, or XX
  bool has_variant = false;

  // False when the text is no such tag, empty or longer than any; then *this is not to be used.
  bool parse(std::string_view text);
};

// The row of a language, or null.
const LanguageRow* find_language_row(std::string_view language);

// BCP 47's shortest code of the tag's language ("zh" of "zho", "cmn"); the own one when there is no other.
std::string_view canonical_language(const LanguageTag& tag);

// The script that the tag means, given or not.
std::string_view script_of(const LanguageTag& tag);

// Whether two codes are equal but for case and - or _.
bool equal_codes(std::string_view a, std::string_view b);

// Which of several languages a name means. Offer them one after another; allocates nothing.
// A name that equals a model's own code or tag wins. Otherwise language and script have to agree, and the nearest
// region counts: the same, none, then another one.
class LanguageSearch {
 public:
  enum class Outcome : uint8_t { kFound, kUnknown, kAmbiguous, kMalformed };

  // `wanted` is borrowed.
  explicit LanguageSearch(std::string_view wanted);

  // A language's BCP 47 tag, and its own code or "".
  void offer(std::string_view code, std::string_view name);

  Outcome outcome() const;
  size_t index() const { return best_; }            // of the offer that is meant, when kFound
  size_t rival() const { return rival_; }           // one that is as good, when kAmbiguous
  bool inexact() const { return inexact_[rank_]; }  // the region or variant that was asked for is not there

 private:
  // From worst to best; of kOneRegion and kOtherRegion there may be several with nothing between them to choose by.
  enum Rank : uint8_t { kNone, kOtherRegion, kWithoutRegion, kOneRegion, kSame, kSameSpelling, kEqualCode, kEqualName };
  static constexpr bool inexact_[] = {false, true, true, false, false, false, false, false};

  Rank rank(std::string_view code, std::string_view name) const;
  Rank rank_region(const LanguageTag& offered) const;

  std::string_view wanted_text_;
  LanguageTag wanted_;
  const LanguageRow* row_ = nullptr;
  bool parsed_ = false;
  bool region_means_script_ = false;
  size_t num_offers_ = 0;
  size_t best_ = 0;
  size_t rival_ = 0;
  Rank rank_ = kNone;
  bool ambiguous_ = false;
};

}  // namespace dragoman::text
