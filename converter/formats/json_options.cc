// JSON settings by nlohmann-json, without its exceptions.
// Neighbours: json_options.h.
#include "converter/formats/json_options.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr int kMaxDepth = 64;

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Watches the parser: too deep a nesting and a key that stands twice in the outermost object.
class Watch {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) too_deep_ = true;
    if (event == json::parse_event_t::key && depth == 1 && !keys_.insert(parsed.get<std::string>()).second) {
      twice_ = parsed.get<std::string>();
    }
    return !too_deep_;
  }
  bool too_deep() const { return too_deep_; }
  const std::string& twice() const { return twice_; }

 private:
  std::set<std::string> keys_;
  std::string twice_;
  bool too_deep_ = false;
};

}  // namespace

Result<Options> parse_json_options(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxBytes) return Status::error(Code::kLimit, "%s: more than 64 MB of settings", name.c_str());
  const char* text = reinterpret_cast<const char*>(bytes.data());
  Watch watch;
  const auto callback = [&watch](int depth, json::parse_event_t event, json& parsed) {
    return watch(depth, event, parsed);
  };
  const json root = json::parse(text, text + bytes.size(), callback, false);
  if (watch.too_deep()) return Status::error(Code::kDamaged, "%s: nested too deeply", name.c_str());
  if (!watch.twice().empty()) {
    return Status::error(Code::kDamaged, "%s: key '%.80s' stands there twice", name.c_str(), watch.twice().c_str());
  }
  if (!root.is_object()) return Status::error(Code::kDamaged, "%s: not a JSON object", name.c_str());
  Options options;
  for (const auto& [key, value] : root.items()) {
    if (value.is_null()) continue;
    OptionValue& option = options[key];
    option.is_list = value.is_array();
    if (!value.is_array()) option.items.push_back(text_of(value));
    if (value.is_array()) {
      for (const json& item : value) option.items.push_back(text_of(item));
    }
  }
  return options;
}

}  // namespace dragoman::converter
