// JSON by nlohmann-json, without its exceptions.
// Neighbours: shard_index.h.
#include "converter/formats/shard_index.h"

#include <nlohmann/json.hpp>
#include <set>

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr size_t kMaxBytes = 100'000'000;
constexpr int kMaxDepth = 16;

// A parser keeps the last of two equal keys in silence.
struct Watch {
  std::set<std::string> names;
  std::string twice;
  bool too_deep = false;

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) too_deep = true;
    if (event == json::parse_event_t::key && depth == 2 && !names.insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return !too_deep;
  }
};

bool is_beside(const std::string& file) {
  return !file.empty() && file != "." && file != ".." && file.find_first_of("/\\") == std::string::npos &&
         file.find('\0') == std::string::npos;
}

}  // namespace

Result<std::map<std::string, std::string>> read_shard_index(std::span<const std::byte> bytes, const std::string& path) {
  if (bytes.size() > kMaxBytes) return Status::error(Code::kLimit, "%s: more than 100 MB", path.c_str());
  const char* text = reinterpret_cast<const char*>(bytes.data());
  Watch watch;
  const auto callback = [&watch](int depth, json::parse_event_t event, json& parsed) {
    return watch(depth, event, parsed);
  };
  const json root = json::parse(text, text + bytes.size(), callback, false);
  if (!root.is_object() || watch.too_deep || !root.contains("weight_map") || !root["weight_map"].is_object() ||
      root["weight_map"].empty()) {
    return Status::error(Code::kDamaged, "%s: no object 'weight_map' that names tensors", path.c_str());
  }
  if (!watch.twice.empty()) {
    return Status::error(Code::kDamaged, "%s: tensor '%.80s' stands there twice", path.c_str(), watch.twice.c_str());
  }
  std::map<std::string, std::string> map;
  for (const auto& [name, file] : root["weight_map"].items()) {
    const std::string shard = file.is_string() ? file.get<std::string>() : "";
    if (!is_beside(shard)) {
      return Status::error(Code::kDamaged, "%s: tensor '%.80s': '%.80s' is not the name of a file beside the index",
                           path.c_str(), name.c_str(), shard.c_str());
    }
    map[name] = shard;
  }
  return map;
}

}  // namespace dragoman::converter
