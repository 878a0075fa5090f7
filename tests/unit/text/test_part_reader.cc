// Added tokens in a text: which are found, and how long that takes at worst.
// Neighbours: test_tokenizer_json.cc of tests/parity compares with another library.
#include "text/part_reader.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "converter/double_array_builder.h"

namespace dragoman::text {
namespace {

struct Token {
  std::string text;
  uint32_t rules = 0;  // AddedToken bits
};

// Tokens by number, and their tables.
class Tokens {
 public:
  explicit Tokens(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    std::vector<std::pair<std::string, uint32_t>> keys;
    for (uint32_t i = 0; i < tokens_.size(); ++i) {
      keys.emplace_back(tokens_[i].text, i);
      elements_.push_back(i << 8 | tokens_[i].rules);
    }
    auto trie = converter::build_double_array(std::move(keys));
    REQUIRE(trie.ok());
    trie_ = std::move(trie.value());
    tables_.added_tokens = elements_;
    tables_.added_trie = trie_;
  }
  Tokens(const Tokens&) = delete;
  Tokens& operator=(const Tokens&) = delete;

  const std::vector<Token>& list() const { return tokens_; }
  const TokenizerTables& tables() const { return tables_; }

 private:
  std::vector<Token> tokens_;
  std::vector<uint32_t> elements_, trie_;
  TokenizerTables tables_;
};

struct Found {
  size_t begin = 0, end = 0;
  int32_t token = -1;
  bool operator==(const Found&) const = default;
};

// The longest token at `begin` up to `end`, of those before or after normalization; -1: none.
int32_t longest(const Tokens& tokens, std::string_view text, size_t begin, size_t end, bool normalized) {
  int32_t best = -1;
  for (size_t i = 0; i < tokens.list().size(); ++i) {
    const Token& token = tokens.list()[i];
    const bool after = (token.rules & kAddedAfterNormalization) != 0;
    const bool fits = begin + token.text.size() <= end && text.substr(begin, token.text.size()) == token.text;
    const bool longer = best < 0 || token.text.size() > tokens.list()[static_cast<size_t>(best)].text.size();
    if (after == normalized && fits && longer) best = static_cast<int32_t>(i);
  }
  return best;
}

// By definition: at the first place where a token begins, the longest one matched before normalization; else the
// longest one matched after it that ends where one matched before it begins, or earlier.
std::vector<Found> by_definition(const Tokens& tokens, std::string_view text) {
  std::vector<Found> found;
  size_t from = 0;
  for (size_t begin = 0; begin < text.size(); ++begin) {
    int32_t token = longest(tokens, text, begin, text.size(), false);
    size_t next = begin + 1;
    while (next < text.size() && longest(tokens, text, next, text.size(), false) < 0) ++next;
    if (token < 0) token = longest(tokens, text, begin, next, true);
    if (token < 0) continue;
    const Token& chosen = tokens.list()[static_cast<size_t>(token)];
    Found one{begin, begin + chosen.text.size(), token};
    if ((chosen.rules & kAddedTakesSpacesBefore) != 0) {
      while (one.begin > from && text[one.begin - 1] == ' ') --one.begin;
    }
    if ((chosen.rules & kAddedTakesSpacesAfter) != 0) {
      while (one.end < text.size() && text[one.end] == ' ') ++one.end;
    }
    if (one.begin > from) found.push_back({from, one.begin, -1});
    found.push_back(one);
    from = one.end;
    begin = from - 1;
  }
  if (from < text.size()) found.push_back({from, text.size(), -1});
  return found;
}

std::vector<Found> read(const Tokens& tokens, std::string_view text) {
  std::vector<Found> found;
  PartReader reader(tokens.tables(), text);
  for (Part part; reader.next(&part);) found.push_back({part.begin, part.begin + part.bytes, part.token});
  return found;
}

std::string random_text(std::mt19937* random, size_t most) {
  std::string text;
  for (size_t length = 1 + (*random)() % most; text.size() < length;) text += "ab "[(*random)() % 3];
  return text;
}

TEST_CASE("added tokens are found as their definition says", "[part_reader]") {
  std::mt19937 random(41);
  size_t num_tokens = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Token> list;
    for (size_t count = 1 + random() % 6; list.size() < count;) {
      const std::string text = random_text(&random, 5);
      const bool known = std::any_of(list.begin(), list.end(), [&](const Token& t) { return t.text == text; });
      if (!known) list.push_back({text, static_cast<uint32_t>(random() % (kAllAddedTokenBits + 1))});
    }
    const Tokens tokens(std::move(list));
    const std::string text = random_text(&random, 40);
    CAPTURE(round, text);
    const std::vector<Found> expected = by_definition(tokens, text);
    REQUIRE(read(tokens, text) == expected);
    for (const Found& part : expected) num_tokens += part.token >= 0 ? 1 : 0;
  }
  CHECK(num_tokens > 5000);
}

TEST_CASE("a text without added tokens is one part", "[part_reader]") {
  const TokenizerTables none;
  PartReader reader(none, "a b");
  Part part;
  REQUIRE(reader.next(&part));
  CHECK(part.bytes == 3);
  CHECK(part.token == -1);
  CHECK_FALSE(reader.next(&part));
}

// At every "a" a token matched after normalization begins, which the "b" at its end takes away again; and every place
// inside of it looks like a token matched before normalization up to its last byte.
TEST_CASE("TK-14: at each byte of a text at most two walks look for tokens", "[part_reader]") {
  std::vector<Token> list = {{"b"}, {std::string(kMaxAddedTokenBytes, 'a') + "c"}};
  for (size_t length = 1; length < kMaxAddedTokenBytes; ++length) {
    list.push_back({std::string(length, 'a') + "b", kAddedAfterNormalization});
  }
  const Tokens tokens(std::move(list));
  std::string text;
  for (int i = 0; i < 40; ++i) text += std::string(kMaxAddedTokenBytes - 1, 'a') + "b";
  PartReader reader(tokens.tables(), text);
  size_t num_tokens = 0;
  for (Part part; reader.next(&part);) num_tokens += part.token >= 0 ? 1 : 0;
  CHECK(num_tokens == 40);
  CHECK(reader.num_steps() <= 2 * kMaxAddedTokenBytes * text.size());
}

}  // namespace
}  // namespace dragoman::text
