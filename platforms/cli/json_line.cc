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

Json json_floats(const std::vector<float>& values) {
  Json array = Json::array();
  for (const float value : values) array.push_back(json_float(value));
  return array;
}

Json json_matrix(const std::vector<float>& values, size_t columns) {
  Json rows = Json::array();
  for (size_t i = 0; columns > 0 && i + columns <= values.size(); i += columns) {
    const auto row = values.begin() + static_cast<ptrdiff_t>(i);
    rows.push_back(json_floats({row, row + static_cast<ptrdiff_t>(columns)}));
  }
  return rows;
}

std::string json_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace dragoman::cli
