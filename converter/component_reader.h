// The fields of one component of a tokenizer.json, read with a complaint about every one that nobody asked for.
// Neighbours: tokenizer_json_rules.cc and tokenizer_json_decoders.cc.
#pragma once

#include <set>
#include <string>

#include "converter/formats/tokenizer_json.h"
#include "converter/report.h"

namespace dragoman::converter {

class ComponentReader {
 public:
  // Both are borrowed.
  ComponentReader(const TokenizerComponent& component, Problems* problems)
      : component_(component), problems_(*problems) {}

  bool has(const std::string& key) const { return component_.fields.contains(key); }

  std::string text(const std::string& key, const std::string& fallback) {
    known_.insert(key);
    const auto at = component_.fields.find(key);
    return at == component_.fields.end() ? fallback : at->second.text;
  }

  bool flag(const std::string& key, bool fallback) {
    known_.insert(key);
    const auto at = component_.fields.find(key);
    if (at == component_.fields.end()) return fallback;
    if (at->second.quoted || (at->second.text != "true" && at->second.text != "false")) {
      refuse(key + " is '" + at->second.text.substr(0, 60) + "', expected true or false");
    }
    return at->second.text == "true";
  }

  void refuse(const std::string& what) {
    problems_.add(component_.path + " (" + component_.type.substr(0, 60) + "): " + what);
  }

  // To be called last: names the fields that were not read.
  void finish() {
    for (const auto& [key, field] : component_.fields) {
      if (!known_.contains(key)) refuse("option '" + key.substr(0, 60) + "' is not known");
    }
  }

 private:
  const TokenizerComponent& component_;
  Problems& problems_;
  std::set<std::string> known_;
};

}  // namespace dragoman::converter
