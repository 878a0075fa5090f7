// Options of a model or decoder as flat text: key -> one value or a list of values.
// Neighbours: formats/yaml_options.cc fills them with yaml-cpp, frontends and families ask for typed values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// One option's value; scalars stay text until someone knows their type.
struct OptionValue {
  bool is_list = false;
  std::vector<std::string> items;  // exactly one for a scalar

  // As it would stand in a message: `swish`, `[a, b]`.
  std::string text() const;
};

using Options = std::map<std::string, OptionValue>;

// Parses one YAML mapping of scalars and lists. `name` names the source in messages. Nested mappings become text.
Result<Options> parse_yaml_options(std::string_view yaml, const std::string& name);

}  // namespace dragoman::converter
