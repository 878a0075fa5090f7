// Neighbours: characters.h.
#include "converter/characters.h"

#include <utf8proc.h>

namespace dragoman::converter {

Character first_character(std::string_view text) {
  utf8proc_int32_t code_point = 0;
  const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                  static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  return bytes > 0 ? Character{static_cast<char32_t>(code_point), static_cast<size_t>(bytes)} : Character{};
}

std::string utf8(char32_t code_point) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  return std::string(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

bool is_white_space(char32_t code_point) {
  if ((code_point >= U'\t' && code_point <= U'\r') || code_point == U'\u0085') return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

}  // namespace dragoman::converter
