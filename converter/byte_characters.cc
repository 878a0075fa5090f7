// Neighbours: byte_characters.h.
#include "converter/byte_characters.h"

#include <array>

#include "converter/characters.h"

namespace dragoman::converter {
namespace {

constexpr char32_t kFirstStandIn = 0x100;
constexpr size_t kNumStandIns = 68;

constexpr bool is_printable(char32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The bytes that are not printable, in order.
constexpr std::array<unsigned char, kNumStandIns> stand_ins() {
  std::array<unsigned char, kNumStandIns> bytes{};
  size_t count = 0;
  for (char32_t byte = 0; byte < kFirstStandIn; ++byte) {
    if (!is_printable(byte)) bytes[count++] = static_cast<unsigned char>(byte);
  }
  return bytes;
}

constexpr std::array<unsigned char, kNumStandIns> kStandIns = stand_ins();

}  // namespace

std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    const Character character = first_character(token.substr(at));
    const char32_t c = character.code_point;
    if (c >= kFirstStandIn && c < kFirstStandIn + kNumStandIns) {
      bytes.push_back(static_cast<char>(kStandIns[c - kFirstStandIn]));
    } else if (c < kFirstStandIn && is_printable(c)) {
      bytes.push_back(static_cast<char>(c));
    } else {
      return std::nullopt;
    }
    at += character.bytes;
  }
  return bytes;
}

std::string character_of_byte(unsigned char byte) {
  char32_t c = byte;
  for (size_t i = 0; i < kNumStandIns; ++i) {
    if (kStandIns[i] == byte) c = kFirstStandIn + static_cast<char32_t>(i);
  }
  return utf8(c);
}

}  // namespace dragoman::converter
