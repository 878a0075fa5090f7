// The one place that decides how JSON is written.
#include "json_line.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace dragoman::cli {

Json json_float(float value) {
  if (!std::isfinite(value)) return nullptr;
  char digits[64] = {};
  std::to_chars(digits, digits + sizeof digits - 1, value);
  return std::strtod(digits, nullptr);
}

std::string json_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace dragoman::cli
