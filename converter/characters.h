// Characters of UTF-8 text, by utf8proc.
// Neighbours: normalization_rules, unicode_rules, byte_characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::converter {

struct Character {
  char32_t code_point = 0xFFFD;
  size_t bytes = 1;
};

// The first character of a text that is not empty; one byte, as U+FFFD, where it is ill-formed.
Character first_character(std::string_view text);

std::string utf8(char32_t code_point);

// Property White_Space.
bool is_white_space(char32_t code_point);

}  // namespace dragoman::converter
