// Base64 (RFC 4648, with padding) for inputs that hold line ends or are not text. Neighbours: tokenize.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::cli {

std::string encode_base64(std::string_view bytes);

// The bytes, or nothing when a character, the length or the padding is wrong.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace dragoman::cli
