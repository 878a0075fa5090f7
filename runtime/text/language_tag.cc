// Neighbours: language_tag.h. Tags follow RFC 5646, section 2.1.
#include "text/language_tag.h"

#include <algorithm>

namespace dragoman::text {

namespace {

constexpr size_t kMaxTag = 35;  // RFC 5646, section 4.4.1, has no longer well-formed tag without extensions

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char dashed(char c) { return c == '_' ? '-' : lower(c); }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_letters(std::string_view part) { return std::all_of(part.begin(), part.end(), is_letter); }
bool all_digits(std::string_view part) { return std::all_of(part.begin(), part.end(), is_digit); }
bool is_variant(std::string_view part) {
  const bool right = std::all_of(part.begin(), part.end(), [](char c) { return is_letter(c) || is_digit(c); });
  return right && ((part.size() >= 5 && part.size() <= 8) || (part.size() == 4 && is_digit(part[0])));
}

// Whether `words`, with spaces between them, hold `word`.
bool contains_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool is_code_of(const LanguageRow& row, std::string_view language) {
  return row.code == language || contains_word(row.aliases, language);
}

// Takes the next subtag off `rest`.
std::string_view take_part(std::string_view* rest) {
  const size_t end = std::min(rest->find_first_of("-_"), rest->size());
  const std::string_view part = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return part;
}

template <size_t N>
void copy(std::string_view part, char (&to)[N], char (*change)(char)) {
  for (size_t i = 0; i < N; ++i) to[i] = i < part.size() ? change(part[i]) : '\0';
}

std::string_view unified_script(std::string_view script) {
  for (const ScriptAlias& row : script_aliases()) {
    if (row.alias == script) return row.script;
  }
  return script;
}

// The script that the region stands for, or "".
std::string_view script_of_region(std::string_view language, std::string_view region) {
  for (const RegionScript& row : region_scripts()) {
    if (row.language == language && row.region == region) return row.script;
  }
  return {};
}

std::string_view script_of(const LanguageTag& tag, const LanguageRow* row) {
  if (tag.script[0] != '\0') return unified_script(tag.script);
  if (row == nullptr) return "Latn";
  const std::string_view by_region = script_of_region(row->code, tag.region);
  return by_region.empty() ? row->script : by_region;
}

}  // namespace

bool LanguageTag::parse(std::string_view text) {
  *this = LanguageTag();
  if (text.size() > kMaxTag || text.ends_with('-') || text.ends_with('_')) return false;
  const std::string_view first = take_part(&text);
  if ((first.size() != 2 && first.size() != 3) || !all_letters(first)) return false;
  copy(first, language, lower);
  // What follows comes in this order, each at most once but variants.
  enum Part { kExtension, kScript, kRegion, kVariant };
  int earliest = kExtension;
  while (!text.empty()) {
    const std::string_view part = take_part(&text);
    if (part.size() == 3 && all_letters(part) && earliest <= kExtension) {
      copy(part, language, lower);  // zh-yue
      earliest = kScript;
    } else if (part.size() == 4 && all_letters(part) && earliest <= kScript) {
      copy(part, script, lower);
      script[0] = upper(script[0]);
      earliest = kRegion;
    } else if (((part.size() == 2 && all_letters(part)) || (part.size() == 3 && all_digits(part))) &&
               earliest <= kRegion) {
      copy(part, region, upper);
      earliest = kVariant;
    } else if (is_variant(part)) {
      has_variant = true;
      earliest = kVariant;
    } else {
      return false;
    }
  }
  if (std::string_view(region) == "XX") region[0] = '\0';  // mBART's "no region"
  if (std::string_view(language) == "pb") {                // OpenSubtitles' Brazilian Portuguese
    copy(std::string_view("pt"), language, lower);
    copy(std::string_view("BR"), region, upper);
  }
  return true;
}

const LanguageRow* find_language_row(std::string_view language) {
  for (const LanguageRow& row : language_rows()) {
    if (is_code_of(row, language)) return &row;
  }
  return nullptr;
}

std::string_view canonical_language(const LanguageTag& tag) {
  const LanguageRow* row = find_language_row(tag.language);
  return row == nullptr ? std::string_view(tag.language) : row->code;
}

std::string_view script_of(const LanguageTag& tag) { return script_of(tag, find_language_row(tag.language)); }

bool equal_codes(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return dashed(x) == dashed(y); });
}

LanguageSearch::LanguageSearch(std::string_view wanted) : wanted_text_(wanted), parsed_(wanted_.parse(wanted)) {
  if (!parsed_) return;
  row_ = find_language_row(wanted_.language);
  region_means_script_ = row_ != nullptr && !script_of_region(row_->code, wanted_.region).empty();
}

void LanguageSearch::offer(std::string_view code, std::string_view name) {
  const size_t offer = num_offers_++;
  const Rank found = rank(code, name);
  if (found == kNone || found < rank_) return;
  if (found == rank_) {
    // Of two that say the same, the first one counts.
    ambiguous_ = found == kOneRegion || found == kOtherRegion;
    if (ambiguous_) rival_ = offer;
    return;
  }
  rank_ = found;
  best_ = offer;
  ambiguous_ = false;
}

LanguageSearch::Rank LanguageSearch::rank(std::string_view code, std::string_view name) const {
  if (!wanted_text_.empty() && equal_codes(wanted_text_, name)) return kEqualName;
  if (!wanted_text_.empty() && equal_codes(wanted_text_, code)) return kEqualCode;
  LanguageTag offered;
  if (!parsed_ || !offered.parse(code)) return kNone;
  const std::string_view language = wanted_.language;
  const bool same_language = language == offered.language || (row_ != nullptr && is_code_of(*row_, offered.language));
  if (!same_language || script_of(wanted_, row_) != script_of(offered, row_)) return kNone;
  return rank_region(offered);
}

LanguageSearch::Rank LanguageSearch::rank_region(const LanguageTag& offered) const {
  const std::string_view wanted = wanted_.region;
  const std::string_view region = offered.region;
  if (wanted == region && wanted_.has_variant == offered.has_variant) {
    return (wanted_.script[0] != '\0') == (offered.script[0] != '\0') ? kSameSpelling : kSame;
  }
  if (wanted.empty() && !wanted_.has_variant) return kOneRegion;
  if (region.empty() && !offered.has_variant) {
    return region_means_script_ && !wanted_.has_variant ? kSame : kWithoutRegion;
  }
  return wanted == region ? kWithoutRegion : kOtherRegion;
}

LanguageSearch::Outcome LanguageSearch::outcome() const {
  if (rank_ >= kEqualCode) return Outcome::kFound;
  if (!parsed_) return Outcome::kMalformed;
  if (rank_ == kNone) return Outcome::kUnknown;
  return ambiguous_ ? Outcome::kAmbiguous : Outcome::kFound;
}

}  // namespace dragoman::text
