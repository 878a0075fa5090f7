// Option access with an account of what was read.
// Neighbours: option_reader.h.
#include "converter/families/option_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace dragoman::converter {

const OptionValue* OptionReader::find(const std::string& key) {
  seen_.insert(key);
  const auto at = options_.find(key);
  return at == options_.end() ? nullptr : &at->second;
}

std::string OptionReader::shown(const std::string& key) const {
  const auto at = options_.find(key);
  return "option '" + key + "' = '" + (at == options_.end() ? "" : at->second.text()) + "'";
}

void OptionReader::refuse(const std::string& key, std::string_view reason) {
  problems_->add(shown(key) + ": " + std::string(reason));
}

std::string OptionReader::text(const std::string& key, const std::string& fallback) {
  const OptionValue* value = find(key);
  return value == nullptr ? fallback : value->text();
}

bool OptionReader::flag(const std::string& key, bool fallback) {
  const OptionValue* value = find(key);
  if (value == nullptr) return fallback;
  const std::string text = value->text();
  if (text == "true") return true;
  if (text != "false") refuse(key, "expected true or false");
  return false;
}

uint32_t OptionReader::parse(const std::string& key, const std::string& item) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
  if (error != std::errc() || end != item.data() + item.size()) refuse(key, "expected a whole number");
  return number;
}

uint32_t OptionReader::number(const std::string& key, uint32_t fallback) {
  const OptionValue* value = find(key);
  return value == nullptr ? fallback : parse(key, value->text());
}

double OptionReader::real(const std::string& key, double fallback) {
  const OptionValue* value = find(key);
  if (value == nullptr) return fallback;
  const std::string text = value->text();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) refuse(key, "expected a number");
  return number;
}

float OptionReader::real_within(const std::string& key, float fallback, double lowest, double highest) {
  if (!has(key)) return fallback;
  const double value = real(key, fallback);
  if (value >= lowest && value <= highest) return static_cast<float>(value);
  if (std::isfinite(value)) refuse(key, "out of range");
  return fallback;
}

uint32_t OptionReader::required_number(const std::string& key) {
  const OptionValue* value = find(key);
  if (value != nullptr) return parse(key, value->text());
  problems_->add("option '" + key + "' is missing");
  return 0;
}

std::vector<uint32_t> OptionReader::numbers(const std::string& key) {
  std::vector<uint32_t> result;
  if (const OptionValue* value = find(key); value != nullptr) {
    for (const std::string& item : value->items) result.push_back(parse(key, item));
  }
  return result;
}

void OptionReader::require(const std::string& key, std::string_view accepted, std::string_view reason) {
  const OptionValue* value = find(key);
  if (value != nullptr && value->text() != accepted) refuse(key, reason);
}

void OptionReader::ignore(std::string_view key) {
  if (key.ends_with('*')) {
    ignored_prefixes_.emplace_back(key.substr(0, key.size() - 1));
  } else {
    seen_.emplace(key);
  }
}

void OptionReader::finish(std::vector<std::string>* notes) {
  for (const auto& [key, value] : options_) {
    const bool ignored = std::any_of(ignored_prefixes_.begin(), ignored_prefixes_.end(),
                                     [&key = key](const std::string& prefix) { return key.starts_with(prefix); });
    if (ignored || seen_.contains(key)) continue;
    const std::string text = value.text();
    const bool off = text == "false" || text == "0" || text == "0.0" || text.empty() || text == "[]" || text == "{}";
    if (notes != nullptr && off) {
      notes->push_back(shown(key) + " is not known; nothing follows from it");
    } else {
      refuse(key, "not known");
    }
  }
}

}  // namespace dragoman::converter
