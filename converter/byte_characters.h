// The characters that byte-level BPE vocabularies write bytes as: printable Latin-1 stands for itself, the other bytes
// for U+0100 and on, in order (GPT-2's table).
// Neighbours: tokenizer_json_tables spells pieces as the bytes they mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::converter {

// The bytes that a token means, or nothing when one of its characters stands for none.
std::optional<std::string> bytes_of_token(std::string_view token);

// The character that stands for `byte`.
std::string character_of_byte(unsigned char byte);

}  // namespace dragoman::converter
