#include "text/utf8.h"

#include <cstring>

namespace dragoman::text {

namespace {

// What a lead byte asks for: sequence length and the allowed range of the second byte (Unicode 15, table 3-7).
struct Lead {
  uint8_t bytes;  // 0: never starts a sequence
  uint8_t second_low;
  uint8_t second_high;
};

constexpr Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

constexpr bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

uint8_t byte_at(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

// What one character takes in repaired text: U+FFFD has 3 bytes.
size_t replaced_bytes(const Decoded& c) { return c.valid ? c.bytes : 3; }

}  // namespace

Decoded decode_maximal(std::string_view text, size_t at) {
  const uint8_t first = byte_at(text, at);
  const Lead lead = lead_of(first);
  if (lead.bytes == 1) return {first, 1, true};
  if (lead.bytes == 0) return {kReplacementCharacter, 1, false};
  char32_t value = first & (0x7Fu >> lead.bytes);
  for (uint8_t i = 1; i < lead.bytes; ++i) {
    if (at + i >= text.size()) return {kReplacementCharacter, i, false};
    const uint8_t byte = byte_at(text, at + i);
    const bool allowed = i == 1 ? byte >= lead.second_low && byte <= lead.second_high : is_continuation(byte);
    if (!allowed) return {kReplacementCharacter, i, false};
    value = value << 6 | (byte & 0x3Fu);
  }
  return {value, lead.bytes, true};
}

Decoded decode_one(std::string_view text, size_t at) {
  Decoded c = decode_maximal(text, at);
  if (!c.valid) c.bytes = 1;
  return c;
}

Decoded decode_before(std::string_view text, size_t end) {
  size_t start = end - 1;
  while (start > 0 && end - start < kMaxUtf8Bytes && is_continuation(byte_at(text, start))) --start;
  const Decoded c = decode_one(text, start);
  if (c.valid && start + c.bytes == end) return c;
  return {kReplacementCharacter, 1, false};
}

size_t encode_one(char32_t code_point, char* out) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = kReplacementCharacter;
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  const size_t bytes = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  for (size_t i = bytes - 1; i > 0; --i) {
    out[i] = static_cast<char>(0x80 | (code_point & 0x3F));
    code_point >>= 6;
  }
  const uint32_t marker = 0xF00u >> bytes & 0xFFu;
  out[0] = static_cast<char>(marker | code_point);
  return bytes;
}

bool is_boundary(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size() || !is_continuation(byte_at(text, at))) return true;
  // A continuation byte is inside a character only if a well-formed sequence starting at most 3 bytes before covers it.
  for (size_t back = 1; back < kMaxUtf8Bytes && back <= at; ++back) {
    if (is_continuation(byte_at(text, at - back))) continue;
    const Decoded c = decode_one(text, at - back);
    return !(c.valid && c.bytes > back);
  }
  return true;
}

Sanitized sanitize(std::string_view in, std::span<char> out) {
  Sanitized done;
  while (done.bytes_read < in.size()) {
    const Decoded c = decode_maximal(in, done.bytes_read);
    const size_t need = replaced_bytes(c);
    if (need > out.size() - done.bytes) break;
    if (c.valid) {
      std::memcpy(out.data() + done.bytes, in.data() + done.bytes_read, need);
    } else {
      encode_one(kReplacementCharacter, out.data() + done.bytes);
      ++done.num_replaced;
    }
    done.bytes += need;
    done.bytes_read += c.bytes;
  }
  return done;
}

Sanitized measure_sanitized(std::string_view in) {
  Sanitized done;
  while (done.bytes_read < in.size()) {
    const Decoded c = decode_maximal(in, done.bytes_read);
    done.bytes += replaced_bytes(c);
    done.num_replaced += c.valid ? 0 : 1;
    done.bytes_read += c.bytes;
  }
  return done;
}

}  // namespace dragoman::text
