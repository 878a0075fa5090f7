// Base64 (RFC 4648), as JSON files carry bytes in.
// Neighbours: tokenizer_json_rules decodes SentencePiece's normalization map with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::converter {

// The bytes, or nothing when `text` is not base64: another character, a wrong length, padding amid the text.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace dragoman::converter
