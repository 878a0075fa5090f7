// Option files through yaml-cpp; its exceptions end here.
// Neighbours: yaml_options.h.
#include "converter/formats/yaml_options.h"

#include <yaml-cpp/yaml.h>

namespace dragoman::converter {
namespace {

// The parser recurses, so nesting is bounded before it sees the text.
constexpr int kMaxNesting = 64;
constexpr size_t kMaxBytes = size_t{16} << 20;

Status check_text(std::string_view yaml, const std::string& name) {
  if (yaml.size() > kMaxBytes) {
    return Status::error(Code::kDamaged, "%s: %zu bytes of options, expected at most %zu", name.c_str(), yaml.size(),
                         kMaxBytes);
  }
  int depth = 0;
  for (const char c : yaml) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMaxNesting) {
      return Status::error(Code::kDamaged, "%s: options nested deeper than %d", name.c_str(), kMaxNesting);
    }
  }
  return Status();
}

std::string scalar_text(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull()) return "";
  YAML::Emitter emitter;
  emitter << YAML::Flow << node;
  return emitter.c_str();
}

Options read_mapping(const YAML::Node& root) {
  Options options;
  for (const auto& entry : root) {
    OptionValue& value = options[scalar_text(entry.first)];
    value.is_list = entry.second.IsSequence();
    value.items.clear();
    if (!value.is_list) {
      value.items.push_back(scalar_text(entry.second));
      continue;
    }
    for (const auto& item : entry.second) value.items.push_back(scalar_text(item));
  }
  return options;
}

}  // namespace

std::string OptionValue::text() const {
  if (!is_list) return items.empty() ? "" : items.front();
  std::string joined = "[";
  for (const std::string& item : items) joined += (joined.size() > 1 ? ", " : "") + item;
  return joined + "]";
}

Result<Options> parse_yaml_options(std::string_view yaml, const std::string& name) {
  DRAGOMAN_RETURN_IF_ERROR(check_text(yaml, name));
  try {
    const YAML::Node root = YAML::Load(std::string(yaml));
    if (!root.IsMap()) return Status::error(Code::kDamaged, "%s: expected a mapping of options", name.c_str());
    return read_mapping(root);
  } catch (const std::exception& error) {
    return Status::error(Code::kDamaged, "%s: %s", name.c_str(), error.what());
  }
}

}  // namespace dragoman::converter
