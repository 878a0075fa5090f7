// Words that a full stop may follow without ending a sentence, per language.
// Neighbours: the lists lie in abbreviations_{germanic,romance,east}.cc; the sentence splitter asks through
// rules_for().
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace dragoman::text {

// Sorted by bytes; without the final full stop.
using WordList = std::span<const std::string_view>;

struct LanguageRules {
  WordList always;            // never ends a sentence: titles, "e.g"
  WordList before_number;     // does not end one when a number follows: "No", "Art"
  WordList maybe;             // ends one only before a sentence starter: "Inc", "etc"
  WordList starters;          // capitalized words that seldom occur inside a sentence
  bool ordinal_stop = false;  // a small number with a stop is an ordinal: "3. Oktober"
};

extern const LanguageRules kEnglishRules;
extern const LanguageRules kGermanRules;
extern const LanguageRules kDutchRules;
extern const LanguageRules kPortugueseRules;
extern const LanguageRules kSpanishRules;
extern const LanguageRules kFrenchRules;
extern const LanguageRules kItalianRules;
extern const LanguageRules kPolishRules;
extern const LanguageRules kCzechRules;
extern const LanguageRules kRussianRules;
extern const LanguageRules kGreekRules;
extern const LanguageRules kHindiRules;

// Rules for a language tag such as "pt", "pt-BR" or "PT_br": the first subtag counts, close relatives share a list, and
// anything unknown or empty gets the English rules. Two- and three-letter codes are understood. Never fails.
const LanguageRules& rules_for(std::string_view language);

inline bool contains(WordList list, std::string_view word) {
  return std::binary_search(list.begin(), list.end(), word);
}

// For a static_assert beside each list.
constexpr bool is_sorted_list(WordList list) {
  for (size_t i = 1; i < list.size(); ++i) {
    if (!(list[i - 1] < list[i])) return false;
  }
  return true;
}

}  // namespace dragoman::text
