// Patterns, and the words for types.
// Neighbours: weight_rules.h, and add_weight_choice of converter.h.
#include "converter/quantize/weight_rules.h"

#include <algorithm>
#include <iterator>

namespace dragoman::converter {
namespace {

constexpr const char* kTypeNames[] = {"int8", "int4", "f16", "f32", "source"};

// kSource is no type to ask for by name.
bool find_type(const std::string& name, WeightType* type) {
  const auto* const end = std::end(kTypeNames) - 1;
  const auto* const at = std::find(std::begin(kTypeNames), end, name);
  *type = static_cast<WeightType>(at - std::begin(kTypeNames));
  return at != end;
}

}  // namespace

const char* weight_type_name(WeightType type) { return kTypeNames[static_cast<size_t>(type)]; }

Status add_weight_choice(const std::string& text, ConvertOptions* options) {
  const size_t equals = text.rfind('=');
  const std::string name = equals == std::string::npos ? text : text.substr(equals + 1);
  WeightType type = WeightType::kInt8;
  if (!find_type(name, &type) || equals == 0) {
    return Status::error(Code::kInvalidArgument, "'%s': expected int8, int4, f16 or f32, or PATTERN= before one",
                         text.c_str());
  }
  if (equals == std::string::npos) {
    options->weight_type = type;
  } else {
    options->weight_rules.push_back({text.substr(0, equals), type});
  }
  return Status();
}

bool matches_pattern(const std::string& pattern, const std::string& name) {
  // Goes back to the last '*' and lets it take one character more whenever what follows does not fit.
  size_t p = 0, n = 0, star = std::string::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

WeightType WeightRules::type_of(const std::string& name) {
  matrices_.push_back(name);
  WeightType type = all_;
  for (const WeightRule& rule : rules_) {
    if (matches_pattern(rule.pattern, name)) type = rule.type;
  }
  return type;
}

std::vector<std::string> WeightRules::complaints(const std::vector<std::string>& tensors) const {
  std::vector<std::string> found;
  for (const WeightRule& rule : rules_) {
    const auto named = [&rule](const std::string& name) { return matches_pattern(rule.pattern, name); };
    if (std::any_of(matrices_.begin(), matrices_.end(), named)) continue;
    const auto other = std::find_if(tensors.begin(), tensors.end(), named);
    if (other == tensors.end()) {
      found.push_back("pattern '" + rule.pattern + "' fits no tensor's name");
    } else if (rule.type != WeightType::kF32 && rule.type != WeightType::kSource) {
      found.push_back("pattern '" + rule.pattern + "' fits tensor '" + *other +
                      "', which is no weight matrix: biases, norms, positions and scales have one type only");
    }
  }
  return found;
}

}  // namespace dragoman::converter
