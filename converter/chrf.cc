// Counting n-grams, and the F-score over them.
// Neighbours: chrf.h.
#include "converter/chrf.h"

#include <algorithm>
#include <map>
#include <string>

namespace dragoman::converter {
namespace {

// The characters that Python's str.split() parts text at.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

size_t character_bytes(unsigned char lead) {
  if (lead < 0xC0) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

std::u32string characters(std::string_view text) {
  std::u32string result;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t bytes = std::min(character_bytes(lead), text.size() - at);
    // Lead bits of 2, 3 and 4 bytes: 5, 4 and 3.
    char32_t c = bytes == 1 ? lead : lead & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; ++i) c = c << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
    if (!is_space(c)) result += c;
    at += bytes;
  }
  return result;
}

using Ngrams = std::map<std::u32string_view, uint64_t>;

Ngrams ngrams_of(std::u32string_view text, size_t length) {
  Ngrams ngrams;
  for (size_t i = 0; i + length <= text.size(); ++i) ++ngrams[text.substr(i, length)];
  return ngrams;
}

uint64_t number_of(std::u32string_view text, size_t length) {
  return text.size() < length ? 0 : text.size() - length + 1;
}

}  // namespace

void Chrf::add(std::string_view hypothesis, std::string_view reference) {
  const std::u32string found = characters(hypothesis), wanted = characters(reference);
  for (size_t length = 1; length <= kMaxLength; ++length) {
    Counts& counts = counts_[length - 1];
    // Without a reference n-gram of this length the hypothesis's do not count against it.
    if (number_of(wanted, length) > 0) counts.hypothesis += number_of(found, length);
    counts.reference += number_of(wanted, length);
    const Ngrams references = ngrams_of(wanted, length);
    for (const auto& [ngram, count] : ngrams_of(found, length)) {
      const auto at = references.find(ngram);
      if (at != references.end()) counts.matches += std::min(count, at->second);
    }
  }
}

double Chrf::score() const {
  constexpr double kRecallWeight = 4;  // beta squared
  double precision = 0, recall = 0;
  int lengths = 0;
  for (const Counts& counts : counts_) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matches) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matches) / static_cast<double>(counts.reference);
    ++lengths;
  }
  if (precision + recall == 0) return 0;
  precision /= lengths;
  recall /= lengths;
  return 100 * (1 + kRecallWeight) * precision * recall / (kRecallWeight * precision + recall);
}

}  // namespace dragoman::converter
