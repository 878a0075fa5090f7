// JSON objects, one a line. Bytes that are not UTF-8 become U+FFFD. Neighbours: translate, tokenize, inspect, bench.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dragoman::cli {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they were set

// The shortest decimal number that reads back as the same float.
Json json_float(float value);
Json json_floats(const std::vector<float>& values);
// Rows of `columns` values each.
Json json_matrix(const std::vector<float>& values, size_t columns);

// One line, without its end.
std::string json_line(const Json& value);

}  // namespace dragoman::cli
