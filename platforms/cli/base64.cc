// Three bytes are four characters of six bits.
#include "base64.h"

#include <array>
#include <cstdint>

namespace dragoman::cli {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 255;

constexpr std::array<uint8_t, 256> make_values() {
  std::array<uint8_t, 256> values = {};
  values.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return values;
}

constexpr std::array<uint8_t, 256> kValues = make_values();

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t group = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | (j < group ? static_cast<uint8_t>(bytes[i + j]) : 0u);
    for (size_t j = 0; j < 4; ++j) out.push_back(j <= group ? kAlphabet[bits >> (18 - 6 * j) & 63] : '=');
  }
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool padded = i + padding >= text.size();
    const uint8_t value = padded ? 0 : kValues[static_cast<uint8_t>(text[i])];
    if (value == kNone) return std::nullopt;
    bits = bits << 6 | value;
    if (i % 4 == 3) {
      for (int shift = 16; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift & 255));
      bits = 0;
    }
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace dragoman::cli
