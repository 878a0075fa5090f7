// Walking through a parsed tokenizer.json with a name for every place, and the part that reads the model.
// Neighbours: tokenizer_json.cc, tokenizer_json_model.cc; nobody else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"
#include "converter/formats/tokenizer_json.h"

namespace dragoman::converter {

// Ids and counts stay below this, whatever the file says.
inline constexpr uint32_t kMaxTokenIds = uint32_t{1} << 24;

// A value of the document and its path. What is absent or null is missing(); asking on gives missing() again.
class JsonPlace {
 public:
  // The value is borrowed.
  JsonPlace(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  JsonPlace at(const std::string& key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    const auto found = value_->is_object() ? value_->find(key) : value_->end();
    return value_->is_object() && found != value_->end() ? JsonPlace(*found, path) : JsonPlace(null(), path);
  }

  JsonPlace at(size_t index) const {
    const std::string path = path_ + "[" + std::to_string(index) + "]";
    return value_->is_array() && index < value_->size() ? JsonPlace((*value_)[index], path) : JsonPlace(null(), path);
  }

  const nlohmann::json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  bool missing() const { return value_->is_null(); }

  Status wrong(const char* expected) const {
    std::string found = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
    return Status::error(Code::kDamaged, "%s: found %s, expected %s", path_.c_str(), found.c_str(), expected);
  }

  Result<std::string> text() const {
    if (!value_->is_string()) return wrong("a string");
    return value_->get<std::string>();
  }

  Result<bool> flag(bool fallback) const {
    if (missing()) return fallback;
    if (!value_->is_boolean()) return wrong("true or false");
    return value_->get<bool>();
  }

  Result<uint32_t> id() const {
    if (!value_->is_number_unsigned() || value_->get<uint64_t>() >= kMaxTokenIds) return wrong("an id below 2^24");
    return static_cast<uint32_t>(value_->get<uint64_t>());
  }

 private:
  static const nlohmann::json& null() {
    static const nlohmann::json kNull;
    return kNull;
  }

  const nlohmann::json* value_;
  std::string path_;
};

// Fills what belongs to the model, with the added tokens that `out` holds already placed by their ids.
Status read_tokenizer_model(const JsonPlace& model, TokenizerJson* out);

}  // namespace dragoman::converter
