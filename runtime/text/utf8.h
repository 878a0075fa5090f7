// UTF-8 decoding, encoding and repair: the only place that knows the byte patterns.
// Neighbours: every file of text/ reads characters through it; the pipeline repairs its input with sanitize().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dragoman::text {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr size_t kMaxUtf8Bytes = 4;

// One decoded character. For an ill-formed sequence `valid` is false and `code_point` is U+FFFD, so that a real U+FFFD
// of the text (3 bytes, valid) stays distinguishable.
struct Decoded {
  char32_t code_point = kReplacementCharacter;
  uint8_t bytes = 0;
  bool valid = false;
};

// Decodes the character at `at`; at < text.size(). Strict: overlong forms, surrogates and values above U+10FFFF are
// ill-formed (Unicode 15, table 3-7). An ill-formed sequence consumes one byte.
Decoded decode_one(std::string_view text, size_t at);

// As decode_one, but an ill-formed sequence consumes its maximal subpart (Unicode 15, section 3.9; the rule of the
// WHATWG Encoding standard): the longest prefix of some well-formed sequence, at least one byte.
Decoded decode_maximal(std::string_view text, size_t at);

// Decodes the character that ends just before `end`; 0 < end <= text.size(). Agrees with a forward walk by decode_one.
Decoded decode_before(std::string_view text, size_t end);

// Writes 1 to 4 bytes to `out` (room for kMaxUtf8Bytes) and returns how many. Surrogates and values above U+10FFFF are
// written as U+FFFD.
size_t encode_one(char32_t code_point, char* out);

// True at 0, at the end and wherever a walk by decode_one stops; at <= text.size().
bool is_boundary(std::string_view text, size_t at);

struct Sanitized {
  size_t bytes = 0;         // written to the output
  size_t bytes_read = 0;    // less than the input's size only when the output was too small
  size_t num_replaced = 0;  // ill-formed sequences that became U+FFFD
};

// Copies `in` to `out`, each maximal ill-formed subpart replaced by U+FFFD. Stops before the first character that does
// not fit; 3 * in.size() bytes are always enough. The buffers must not overlap.
Sanitized sanitize(std::string_view in, std::span<char> out);

// What sanitize would write, given room.
Sanitized measure_sanitized(std::string_view in);

}  // namespace dragoman::text
