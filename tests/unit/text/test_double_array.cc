// The trie that the converter builds, through the lookups that the runtime does.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "converter/double_array_builder.h"
#include "text/double_array.h"

using dragoman::converter::build_double_array;
using dragoman::text::DoubleArray;

namespace {

std::vector<uint32_t> build(const std::vector<std::pair<std::string, uint32_t>>& keys) {
  auto units = build_double_array(keys);
  REQUIRE(units.ok());
  return units.value();
}

std::map<std::string, uint32_t> random_keys(std::mt19937& random, size_t count, unsigned alphabet) {
  std::map<std::string, uint32_t> keys;
  while (keys.size() < count) {
    std::string key(1 + random() % 12, '\0');
    for (char& c : key) c = static_cast<char>(1 + random() % alphabet);
    keys.emplace(key, static_cast<uint32_t>(keys.size()));
  }
  return keys;
}

}  // namespace

TEST_CASE("a double array finds every key and nothing else", "[tokenizer]") {
  std::mt19937 random(7);
  for (const auto& [count, alphabet] : {std::pair{1u, 3u}, {300u, 2u}, {5000u, 26u}, {20000u, 255u}}) {
    const auto keys = random_keys(random, count, alphabet);
    const auto units = build({keys.begin(), keys.end()});
    const DoubleArray trie(units);
    REQUIRE(trie.check("trie", count).ok());
    REQUIRE_FALSE(trie.check("trie", count - 1).ok());
    for (const auto& [key, value] : keys) REQUIRE(trie.find(key) == value);
    for (const auto& [key, value] : random_keys(random, 2000, 255)) {
      const auto known = keys.find(key);
      REQUIRE(trie.find(key) == (known == keys.end() ? DoubleArray::kNone : known->second));
    }
    CHECK(trie.find("") == DoubleArray::kNone);
    CHECK(trie.find(std::string_view("\0", 1)) == DoubleArray::kNone);
  }
}

TEST_CASE("a double array that others fill without a key matches nothing", "[tokenizer]") {
  const auto units = build({});
  const DoubleArray trie(units);
  REQUIRE(trie.check("trie", 1).ok());
  for (int byte = 0; byte < 256; ++byte) {
    CHECK(trie.step(DoubleArray::kRoot, static_cast<unsigned char>(byte)) == DoubleArray::kNone);
  }
}

TEST_CASE("keys that a double array cannot hold are refused", "[tokenizer]") {
  CHECK_FALSE(build_double_array({{"a", 1}, {"a", 2}}).ok());
  CHECK_FALSE(build_double_array({{"", 1}}).ok());
  CHECK_FALSE(build_double_array({{std::string("a\0b", 3), 1}}).ok());
  CHECK_FALSE(build_double_array({{"a", 1u << 31}}).ok());
}

TEST_CASE("damaged units are refused, or every walk stays inside", "[tokenizer]") {
  std::mt19937 random(11);
  const auto keys = random_keys(random, 200, 60);
  const auto good = build({keys.begin(), keys.end()});
  size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    // A vector of its own, exactly as long, so that a read past its end is seen by the address sanitizer.
    std::vector<uint32_t> units = good;
    for (unsigned flips = 1 + random() % 3; flips != 0; --flips) units[random() % units.size()] ^= 1u << random() % 32;
    const DoubleArray trie(units);
    const bool accepted = trie.check("trie", 200).ok();
    // Written a second time in the converter, which may not look into the runtime.
    REQUIRE(dragoman::converter::check_double_array(units, 200).ok() == accepted);
    if (!accepted) {
      ++refused;
      continue;
    }
    for (const auto& [key, value] : keys) {
      const uint32_t found = trie.find(key);
      CHECK((found == DoubleArray::kNone || found < 200));
    }
  }
  CHECK(refused > 100);
  CHECK_FALSE(DoubleArray(std::span(good).first(good.size() - 1)).check("trie", 200).ok());
}
