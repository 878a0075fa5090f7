// How many bytes a character takes by its first byte alone, as the segmenters step over normalized text.
// Neighbours: unigram, bpe, simple_segmenters. (utf8.h decodes strictly; here even damaged text must be stepped over.)
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// 1 to 4, never past the end; at < text.size(). A byte that cannot start a character counts as one.
inline size_t character_length(std::string_view text, size_t at) {
  static constexpr unsigned char kLengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
  const size_t length = kLengths[static_cast<unsigned char>(text[at]) >> 4];
  return length < text.size() - at ? length : text.size() - at;
}

}  // namespace dragoman::text
