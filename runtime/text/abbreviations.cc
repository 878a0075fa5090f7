#include "text/abbreviations.h"

#include <iterator>

namespace dragoman::text {

namespace {

struct Entry {
  std::string_view code;
  const LanguageRules* rules;
};

// ISO 639-1 and 639-2/3 codes; a language without a list of its own takes a relative's with the same conventions.
constexpr Entry kLanguages[] = {
    {"af", &kDutchRules},       {"be", &kRussianRules},    {"bg", &kRussianRules},    {"bs", &kCzechRules},
    {"ca", &kSpanishRules},     {"ces", &kCzechRules},     {"cs", &kCzechRules},      {"cze", &kCzechRules},
    {"de", &kGermanRules},      {"deu", &kGermanRules},    {"dut", &kDutchRules},     {"el", &kGreekRules},
    {"ell", &kGreekRules},      {"es", &kSpanishRules},    {"fr", &kFrenchRules},     {"fra", &kFrenchRules},
    {"fre", &kFrenchRules},     {"ger", &kGermanRules},    {"gl", &kPortugueseRules}, {"gre", &kGreekRules},
    {"hi", &kHindiRules},       {"hin", &kHindiRules},     {"hr", &kCzechRules},      {"it", &kItalianRules},
    {"ita", &kItalianRules},    {"lb", &kGermanRules},     {"mr", &kHindiRules},      {"ne", &kHindiRules},
    {"nl", &kDutchRules},       {"nld", &kDutchRules},     {"pl", &kPolishRules},     {"pol", &kPolishRules},
    {"por", &kPortugueseRules}, {"pt", &kPortugueseRules}, {"ru", &kRussianRules},    {"rus", &kRussianRules},
    {"sk", &kCzechRules},       {"sl", &kCzechRules},      {"slk", &kCzechRules},     {"spa", &kSpanishRules},
    {"uk", &kRussianRules},     {"ukr", &kRussianRules},
};

constexpr bool is_sorted_by_code() {
  for (size_t i = 1; i < std::size(kLanguages); ++i) {
    if (!(kLanguages[i - 1].code < kLanguages[i].code)) return false;
  }
  return true;
}
static_assert(is_sorted_by_code());

constexpr size_t kMaxCode = 3;

}  // namespace

const LanguageRules& rules_for(std::string_view language) {
  char code[kMaxCode];
  size_t length = 0;
  for (char c : language) {
    if (c == '-' || c == '_') break;
    if (length == kMaxCode) return kEnglishRules;
    code[length++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  const std::string_view wanted(code, length);
  const Entry* entry = std::lower_bound(std::begin(kLanguages), std::end(kLanguages), wanted,
                                        [](const Entry& e, std::string_view value) { return e.code < value; });
  return entry != std::end(kLanguages) && entry->code == wanted ? *entry->rules : kEnglishRules;
}

}  // namespace dragoman::text
