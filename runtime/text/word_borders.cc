// Neighbours: word_borders.h.
#include "text/word_borders.h"

#include <algorithm>

#include "text/normalizer.h"
#include "text/utf8.h"

namespace dragoman::text {
namespace {

constexpr uint32_t kClassMask = 255;

// Length of an English contraction's ending at `at`: 's 't 're 've 'm 'll 'd; or 0.
size_t contraction(std::string_view part, size_t at) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (part.substr(at).starts_with(ending)) return ending.size();
  }
  return 0;
}

}  // namespace

WordBorderFinder::WordBorderFinder(const TokenizerTables& tables)
    : borders_(tables.word_borders), classes_(tables.character_classes) {
  if (classes_.empty()) return;
  for (char32_t c = 0; c < 128; ++c) {
    const auto after = std::upper_bound(classes_.begin(), classes_.end(), static_cast<uint32_t>(c) << 8 | kClassMask);
    ascii_[c] = static_cast<CharacterClass>(after[-1] & kClassMask);
  }
}

CharacterClass WordBorderFinder::class_of(char32_t code_point) const {
  if (code_point < 128) return ascii_[code_point];
  const uint32_t key = static_cast<uint32_t>(code_point) << 8 | kClassMask;
  const auto after = std::upper_bound(classes_.begin(), classes_.end(), key);
  return static_cast<CharacterClass>(after[-1] & kClassMask);
}

size_t WordBorderFinder::skip(std::string_view part, size_t at, CharacterClass kind) const {
  while (at < part.size()) {
    const Decoded character = decode_one(part, at);
    if (class_of(character.code_point) != kind) break;
    at += character.bytes;
  }
  return at;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ of GPT-2.
size_t WordBorderFinder::next_by_class(std::string_view part, size_t at) const {
  if (const size_t bytes = contraction(part, at); bytes != 0) return at + bytes;
  const size_t first = part[at] == ' ' && at + 1 < part.size() ? at + 1 : at;
  if (const CharacterClass kind = class_of(decode_one(part, first).code_point); kind != kClassWhiteSpace) {
    return skip(part, first, kind);
  }
  // White space leaves its last character to the word that follows, unless it is the only one.
  const size_t end = skip(part, at, kClassWhiteSpace);
  if (end == part.size()) return end;
  const size_t before_last = end - decode_before(part, end).bytes;
  return before_last > at ? before_last : end;
}

size_t WordBorderFinder::next(std::string_view part, size_t at) const {
  switch (borders_) {
    case WordBorders::kNone: break;
    case WordBorders::kCharacterClasses: return next_by_class(part, at);
    case WordBorders::kBeforeSpace: return std::min(part.find(kEscapedSpace, at + 1), part.size());
  }
  return part.size();
}

}  // namespace dragoman::text
