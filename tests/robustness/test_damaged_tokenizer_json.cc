// Damaged tokenizer.json files are refused with a message, or give a tokenizer that stays within its bounds; all in
// bounded time.
// Neighbours: converter/tokenizer_json_tables reads them; tests/data/tokenizer_json has the originals.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "converter/tokenizer_json_tables.h"
#include "text/tokenizer.h"

namespace dragoman {
namespace {

constexpr std::string_view kText = "Héllo  <sep>x <u>v 'tis 12\t\xff 漢 </s> <0x41> \u2581 end ";

std::string read_text(const std::string& name) {
  std::ifstream file(std::string(DRAGOMAN_TEST_DATA_DIR) + "/tokenizer_json/" + name + ".json", std::ios::binary);
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  size_t variants = 0;
  size_t accepted = 0;
  double slowest_ms = 0;
};

// Reads one variant and uses what came of it; a refusal has to say why.
void try_variant(const std::string& json, Outcome* outcome) {
  const auto start = std::chrono::steady_clock::now();
  const auto read = converter::read_json_tokenizer(std::as_bytes(std::span(json)));
  ++outcome->variants;
  if (read.ok()) {
    const auto tokenizer = text::Tokenizer::create(read.value().data.view());
    INFO(tokenizer.status().message());
    REQUIRE(tokenizer.ok());  // what the converter makes, the runtime takes
    std::vector<std::byte> scratch(tokenizer.value().scratch_bytes(4 * kText.size()));
    std::vector<int32_t> ids(4096);
    const auto encoded = tokenizer.value().encode(kText, {scratch, ids, {}, {}});
    if (encoded.ok()) {
      std::string out(tokenizer.value().max_decoded_bytes(encoded.value().num_ids), '\0');
      REQUIRE(tokenizer.value().decode(std::span(ids).first(encoded.value().num_ids), out).ok());
    }
    ++outcome->accepted;
  } else {
    REQUIRE(std::string_view(read.status().message()).size() > 10);
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  outcome->slowest_ms = std::max(outcome->slowest_ms, took.count());
}

// One to three changes: a byte, a stretch lost or doubled, a number or a word put in another's place.
std::string damaged(const std::string& original, std::mt19937& random) {
  static const std::vector<std::string> kWords = {
      "null", "true",       "-1",   "1e400",       "4294967296", "18446744073709551615", "1.5",       "[]",
      "{}",   "[[[[[[[[[[", "\"\"", "\"\\u0000\"", "\"x\"",      "{\"type\":\"Fuse\"}",  "\"Regex\"", "\"first\"",
      "\xff", "\\",         "\"",   ",",           ":"};
  std::string text = original;
  const auto below = [&random](size_t limit) { return static_cast<size_t>(random() % std::max<size_t>(limit, 1)); };
  for (size_t change = below(3) + 1; change > 0 && !text.empty(); --change) {
    const size_t at = below(text.size());
    const size_t bytes = std::min(below(40) + 1, text.size() - at);
    switch (below(5)) {
      case 0: text[at] = static_cast<char>(random() % 256); break;
      case 1: text.erase(at, bytes); break;
      case 2: text.insert(at, text.substr(at, bytes)); break;
      case 3: {
        const size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text.replace(digit, 1, kWords[below(kWords.size())]);
        break;
      }
      default: {
        // A whole value, so that the file often stays JSON.
        const size_t colon = text.find(':', at);
        const size_t end = colon == std::string::npos ? colon : text.find_first_of(",}", colon);
        if (end != std::string::npos) text.replace(colon + 1, end - colon - 1, kWords[below(kWords.size())]);
      }
    }
  }
  return text;
}

TEST_CASE("damaged tokenizer.json files are refused or work, in bounded time") {
  std::mt19937 random(20261130);
  Outcome outcome;
  for (const char* kind : {"t5", "mt5", "nllb", "llama_first", "byte_level_prefix", "as_sentencepiece"}) {
    const std::string original = read_text(kind);
    Outcome whole;
    try_variant(original, &whole);
    REQUIRE(whole.accepted == 1);
    for (int i = 0; i < 700; ++i) {
      const std::string variant = damaged(original, random);
      INFO(kind << " variant " << i);
      try_variant(variant, &outcome);
    }
    for (size_t bytes = 0; bytes < original.size(); bytes += 97) try_variant(original.substr(0, bytes), &outcome);
  }
  CAPTURE(outcome.slowest_ms, outcome.accepted);
  CHECK(outcome.variants > 4500);
  CHECK(outcome.accepted > 100);
  CHECK(outcome.slowest_ms < 5000);
}

TEST_CASE("a tokenizer.json that is nested deeply is refused, not followed") {
  const std::string deep = std::string(1'000'000, '[');
  for (const std::string& text : {deep, "{\"model\":" + deep, "{\"normalizer\":" + deep + "}"}) {
    const auto read = converter::read_json_tokenizer(std::as_bytes(std::span(text)));
    REQUIRE_FALSE(read.ok());
    CHECK(std::string_view(read.status().message()).find("nested") != std::string_view::npos);
  }
}

}  // namespace
}  // namespace dragoman
