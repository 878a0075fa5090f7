// Typed, accounted reading of a model's options: what nobody asked for is found at the end.
// Neighbours: families/ read through it; its complaints go to Problems.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "converter/formats/yaml_options.h"
#include "converter/report.h"

namespace dragoman::converter {

inline constexpr double kLeastEpsilon = 1e-30;  // of a norm: what is above 0 as a float, too

// Reads options by key, remembers which were read, and writes every malformed or refused one to `problems`.
class OptionReader {
 public:
  // Both outlive the reader.
  OptionReader(const Options& options, Problems* problems) : options_(options), problems_(problems) {}

  // The value, or `fallback` when the key is absent.
  std::string text(const std::string& key, const std::string& fallback);
  bool flag(const std::string& key, bool fallback);
  uint32_t number(const std::string& key, uint32_t fallback);
  std::vector<uint32_t> numbers(const std::string& key);
  double real(const std::string& key, double fallback);
  // Refuses what is not within [lowest, highest], and is `fallback` then.
  float real_within(const std::string& key, float fallback, double lowest, double highest);
  // As number(), but absence is a problem too.
  uint32_t required_number(const std::string& key);

  // Refuses every value of `key` but `accepted` (compared as text; absence is fine).
  void require(const std::string& key, std::string_view accepted, std::string_view reason);
  // Refuses the value just read.
  void refuse(const std::string& key, std::string_view reason);
  // The key means nothing for the computation. A trailing '*' covers all keys with that beginning.
  void ignore(std::string_view key);
  // Every key that was neither read nor ignored becomes a problem. With `notes`, those whose value switches nothing on
  // (false, 0, empty) are only noted there.
  void finish(std::vector<std::string>* notes = nullptr);

  // Whether the key is there; counts as reading it.
  bool has(const std::string& key) { return find(key) != nullptr; }

 private:
  const OptionValue* find(const std::string& key);
  std::string shown(const std::string& key) const;
  uint32_t parse(const std::string& key, const std::string& item);

  const Options& options_;
  Problems* problems_;
  std::set<std::string> seen_;
  std::vector<std::string> ignored_prefixes_;
};

}  // namespace dragoman::converter
