// TK-14: long texts without a space take linear time and little memory; and no call allocates.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <ctime>
#include <random>

#include "converter/double_array_builder.h"
#include "tests/support/allocation_counter.h"
#include "text/part_reader.h"
#include "tokenizer_models.h"

using namespace dragoman;
using test::plain_model;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr double kSlowBuild = 15;
#else
constexpr double kSlowBuild = 1;
#endif

// Pieces that overlap in many ways: runs of "a", single characters, one user symbol.
converter::SentencePieceModel long_word_model(TokenizerKind kind) {
  using enum PieceType;
  auto model = plain_model(kind, {{"<u>", 0, kUser}, {"\xE4\xB8\x80", -3, kNormal}, {"\xF0\x9F\x98\x80", -3, kNormal}});
  for (size_t length = 1; length <= 16; ++length) {
    model.pieces.push_back({std::string(length, 'a'), -1.0f - 0.01f * static_cast<float>(length % 5), kNormal});
  }
  model.add_dummy_prefix = true;
  return model;
}

std::string repeat(std::string_view unit, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += unit;
  return text;
}

std::string random_cjk(size_t count) {
  std::mt19937 random(1);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const unsigned code = 0x4E00 + random() % 20000;
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 63));
    text += static_cast<char>(0x80 | (code & 63));
  }
  return text;
}

// Buffers made beforehand and touched once, so that only the encoding is measured.
class Stopwatch {
 public:
  Stopwatch(const text::Tokenizer& tokenizer, size_t max_bytes)
      : tokenizer_(tokenizer), scratch_(tokenizer.scratch_bytes(max_bytes)), ids_(max_bytes + 8) {}

  // CPU seconds, best of `runs`.
  double seconds(const std::string& text, int runs) {
    double best = 1e9;
    for (int run = 0; run < runs; ++run) {
      const std::clock_t start = std::clock();
      REQUIRE(tokenizer_.encode(text, {scratch_, ids_, {}, {}}).ok());
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
  }

  size_t bytes() const { return scratch_.size() + ids_.size() * sizeof(int32_t); }

 private:
  const text::Tokenizer& tokenizer_;
  std::vector<std::byte> scratch_;
  std::vector<int32_t> ids_;
};

}  // namespace

TEST_CASE("TK-14: a word of a million characters in less than two seconds", "[tokenizer]") {
  for (const TokenizerKind kind :
       {TokenizerKind::kUnigram, TokenizerKind::kBpe, TokenizerKind::kWord, TokenizerKind::kCharacter}) {
    const auto loaded = test::make_tokenizer(long_word_model(kind));
    for (const std::string& text : {repeat("a", 1000000), random_cjk(1000000), repeat("\xF0\x9F\x98\x80", 1000000)}) {
      Stopwatch watch(loaded.tokenizer(), text.size());
      CHECK(watch.seconds(text, 1) < 2.0 * kSlowBuild);
    }
    // Memory: 1M characters of one byte below 200 MB.
    CHECK(Stopwatch(loaded.tokenizer(), 1000000).bytes() < 200e6);
  }
}

TEST_CASE("TK-14: sixteen times the text takes at most about twenty times as long", "[tokenizer]") {
  for (const TokenizerKind kind : {TokenizerKind::kUnigram, TokenizerKind::kBpe}) {
    // Linear is 16, n log n in the one long word 22; the rest is for caches and busy machines. Quadratic would be 256.
    const double bound = kind == TokenizerKind::kUnigram ? 24 : 36;
    const auto loaded = test::make_tokenizer(long_word_model(kind));
    for (const std::string_view unit : {"a", "\xF0\x9F\x98\x80"}) {
      Stopwatch watch(loaded.tokenizer(), 32000 * unit.size());
      // The clock ticks in microseconds: the short text is measured ten times in a row.
      const double shorter = watch.seconds(repeat(unit, 2000), 20);
      const double longer = watch.seconds(repeat(unit, 32000), 20);
      INFO("2k: " << shorter << " s, 32k: " << longer << " s");
      CHECK(longer <= bound * std::max(shorter, 20e-6));
    }
  }
}

TEST_CASE("TK-14: white space as a token that takes the white space before it costs linear time", "[tokenizer]") {
  const auto trie = converter::build_double_array({{" ", 0}});
  REQUIRE(trie.ok());
  const uint32_t space = kAddedTakesSpacesBefore;
  TokenizerTables tables;
  tables.added_tokens = {&space, 1};
  tables.added_trie = trie.value();
  const std::string text(100000, ' ');
  const std::clock_t start = std::clock();
  text::PartReader reader(tables, text);
  size_t num_parts = 0;
  for (text::Part part; reader.next(&part);) ++num_parts;
  CHECK(num_parts == text.size());
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 0.5 * kSlowBuild);
}

TEST_CASE("creating, encoding and decoding allocate nothing", "[tokenizer]") {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  for (const TokenizerKind kind :
       {TokenizerKind::kUnigram, TokenizerKind::kBpe, TokenizerKind::kWord, TokenizerKind::kCharacter}) {
    const auto data = test::build(long_word_model(kind));
    const TokenizerTables tables = data.view();
    const std::string text = "aaaa aaa <u> \xE4\xB8\x80 zz \xFF";
    std::vector<std::byte> scratch(10000);
    std::vector<int32_t> ids(100);
    std::vector<uint32_t> begins(100);
    std::vector<char> out(10000);
    test::reset_allocation_count();
    const auto tokenizer = text::Tokenizer::create(tables);
    const auto encoded = tokenizer.value().encode(text, {scratch, ids, begins, {}});
    const auto decoded = tokenizer.value().decode(std::span(ids).first(encoded.value().num_ids), out);
    const size_t count = test::allocation_count();
    CHECK(count == 0);
    CHECK(decoded.value() > 0);
  }
}
