// Neighbours: unicode_rules.h.
#include "converter/unicode_rules.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "converter/characters.h"

namespace dragoman::converter {
namespace {

constexpr char32_t kEndOfUnicode = 0x110000;
constexpr int kNfd = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
constexpr int kNfc = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
constexpr size_t kMaxMarks = 3;  // no character decomposes into more

bool is_character(char32_t c) { return c != 0 && (c < 0xD800 || c > 0xDFFF); }

// The text in a normal form; empty when utf8proc refuses it, which it does for no character.
std::string normal_form(const std::string& text, int options) {
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(options));
  std::string form;
  if (bytes > 0) form.assign(reinterpret_cast<const char*>(result), static_cast<size_t>(bytes));
  std::free(result);
  return form;
}

std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = first_character(text.substr(at)).bytes;
    characters.emplace_back(text.substr(at, bytes));
    at += bytes;
  }
  return characters;
}

void add_if_changed(const std::string& text, const std::string& form, NormalizationRules* rules) {
  if (form != text) rules->add(text, form);
}

// Every way to write `composed` with its first marks composed already and the others in any order.
void add_spellings(const std::string& composed, int options, NormalizationRules* rules) {
  std::vector<std::string> parts = characters_of(normal_form(composed, kNfd));
  if (parts.size() < 2 || parts.size() > kMaxMarks + 1) return;
  std::sort(parts.begin() + 1, parts.end());
  do {
    std::string spelling;
    for (const std::string& part : parts) spelling += part;
    add_if_changed(spelling, normal_form(spelling, options), rules);
    for (size_t taken = 2; taken < parts.size(); ++taken) {
      std::string start;
      for (size_t i = 0; i < taken; ++i) start += parts[i];
      start = normal_form(start, kNfc);
      for (size_t i = taken; i < parts.size(); ++i) start += parts[i];
      add_if_changed(start, normal_form(start, options), rules);
    }
  } while (std::next_permutation(parts.begin() + 1, parts.end()));
}

using Marks = std::map<std::string, std::vector<std::string>>;

// The marks that compose with a character.
Marks composing_marks() {
  Marks marks;
  for (char32_t c = 0; c < kEndOfUnicode; ++c) {
    if (!is_character(c)) continue;
    const std::string composed = utf8(c);
    std::vector<std::string> parts = characters_of(normal_form(composed, kNfd));
    if (parts.size() < 2 || normal_form(composed, kNfc) != composed) continue;
    const std::string mark = parts.back();
    parts.pop_back();
    std::string base;
    for (const std::string& part : parts) base += part;
    marks[normal_form(base, kNfc)].push_back(mark);
  }
  return marks;
}

// What is written in another form may still compose with a mark after it.
void add_marks(const std::string& text, const std::string& form, const Marks& marks, int options,
               NormalizationRules* rules) {
  const std::vector<std::string> parts = characters_of(form);
  const auto at = parts.empty() ? marks.end() : marks.find(parts.back());
  if (at == marks.end()) return;
  for (const std::string& mark : at->second) add_if_changed(text + mark, normal_form(text + mark, options), rules);
}

NormalizationRules normal_form_rules(int options) {
  NormalizationRules rules;
  const bool composes = (options & UTF8PROC_COMPOSE) != 0;
  const Marks marks = composes ? composing_marks() : Marks();
  for (char32_t c = 0; c < kEndOfUnicode; ++c) {
    if (!is_character(c)) continue;
    const std::string text = utf8(c);
    const std::string form = normal_form(text, options);
    add_if_changed(text, form, &rules);
    if (composes && form == text) add_spellings(text, options, &rules);
    if (composes && form != text) add_marks(text, form, marks, options, &rules);
  }
  return rules;
}

NormalizationRules lowercase_rules() {
  NormalizationRules rules;
  for (char32_t c = 0; c < kEndOfUnicode; ++c) {
    if (!is_character(c)) continue;
    const auto lower = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    if (lower != c) rules.add(utf8(c), utf8(lower));
  }
  // The only character that Unicode's SpecialCasing always lowers to two.
  rules.add("\u0130", "i\u0307");
  return rules;
}

NormalizationRules accent_rules() {
  NormalizationRules rules;
  for (char32_t c = 0; c < kEndOfUnicode; ++c) {
    if (utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_MN) rules.add(utf8(c), "");
  }
  return rules;
}

// tokenizers, normalizers/unicode.rs, do_nmt.
NormalizationRules nmt_rules() {
  NormalizationRules rules;
  const auto set = [&rules](char32_t first, char32_t last, const char* replacement) {
    for (char32_t c = first; c <= last; ++c) rules.add(utf8(c), replacement);
  };
  set(0x01, 0x08, "");
  set(0x0B, 0x0B, "");
  set(0x0E, 0x1F, "");
  for (const char32_t c : {0x7F, 0x8F, 0x9F}) set(c, c, "");
  for (const char32_t c : {0x09, 0x0A, 0x0C, 0x0D, 0x1680, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD}) set(c, c, " ");
  set(0x200B, 0x200F, " ");
  return rules;
}

uint32_t class_of(char32_t c) {
  if (is_white_space(c)) return kClassWhiteSpace;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return kClassLetter;
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO ? kClassNumber : kClassOther;
}

}  // namespace

std::optional<NormalizationRules> unicode_rules(const std::string& normalizer) {
  if (normalizer == "NFC") return normal_form_rules(kNfc);
  if (normalizer == "NFD") return normal_form_rules(kNfd);
  if (normalizer == "NFKC") return normal_form_rules(kNfc | UTF8PROC_COMPAT);
  if (normalizer == "NFKD") return normal_form_rules(kNfd | UTF8PROC_COMPAT);
  if (normalizer == "Lowercase") return lowercase_rules();
  if (normalizer == "StripAccents") return accent_rules();
  if (normalizer == "Nmt") return nmt_rules();
  return std::nullopt;
}

NormalizationRules white_space_rules() {
  NormalizationRules rules;
  for (char32_t c = 1; c < 0x10000; ++c) {
    if (c != ' ' && is_white_space(c)) rules.add(utf8(c), " ");
  }
  return rules;
}

std::vector<uint32_t> character_classes() {
  std::vector<uint32_t> runs;
  for (char32_t c = 0; c < kEndOfUnicode; ++c) {
    const uint32_t kind = class_of(c);
    if (runs.empty() || (runs.back() & 255) != kind) runs.push_back(static_cast<uint32_t>(c) << 8 | kind);
  }
  return runs;
}

}  // namespace dragoman::converter
