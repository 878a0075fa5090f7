// Base64 for test inputs and outputs, which may hold any bytes.
// Neighbours: the tokenizer driver and the fixture tests.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::test {

inline constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t digit = kBase64Digits.find(c);
    if (digit == std::string_view::npos) continue;
    buffer = buffer << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(buffer >> bits & 0xFF));
  }
  return bytes;
}

inline std::string to_base64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    unsigned group = static_cast<unsigned char>(bytes[i]) << 16;
    if (left > 1) group |= static_cast<unsigned>(static_cast<unsigned char>(bytes[i + 1])) << 8;
    if (left > 2) group |= static_cast<unsigned char>(bytes[i + 2]);
    for (size_t digit = 0; digit < 4; ++digit) {
      text.push_back(digit <= left ? kBase64Digits[group >> (18 - 6 * digit) & 63] : '=');
    }
  }
  return text;
}

}  // namespace dragoman::test
