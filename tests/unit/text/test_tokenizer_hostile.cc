// Tables that lie: create() names what is wrong, and whatever it accepts can be used without harm.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>
#include <random>

#include "tokenizer_models.h"

using namespace dragoman;
using converter::TokenizerData;

namespace {

TokenizerData sample(TokenizerKind kind) {
  using enum PieceType;
  auto model = test::plain_model(kind, {{"a", -1, kNormal},
                                        {"ab", -2, kNormal},
                                        {"\xE2\x96\x81"
                                         "b",
                                         -2, kNormal},
                                        {"q", 0, kUser},
                                        {"abab", -3, kUnused},
                                        {"b", -3, kNormal}});
  test::add_byte_pieces(model);
  auto data = test::build(model);
  // A normalization map of one rule, "x" -> "ab".
  data.normalizer_trie = data.user_trie;
  for (uint32_t& unit : data.normalizer_trie) {
    if (unit >> 31 != 0) unit = 1u << 31;
  }
  data.normalizer_bytes = std::string("ab\0", 3);
  return data;
}

using Damage = std::function<void(TokenizerData&)>;

Status status_after(const Damage& damage) {
  TokenizerData data = sample(TokenizerKind::kUnigram);
  damage(data);
  return text::Tokenizer::create(data.view()).status();
}

// Encodes and decodes a few texts; only the sanitizers and the limits judge.
void use(const text::Tokenizer& tokenizer, size_t num_ids) {
  std::vector<std::byte> scratch(tokenizer.scratch_bytes(64));
  std::vector<int32_t> ids(256);
  std::vector<uint32_t> begins(256);
  std::vector<char> out(tokenizer.max_decoded_bytes(256));
  for (const std::string_view text : {"ababab q xx", "  b  b", "\xFF\xFE q\xE2\x96\x81", "qqqqqqqqaaaaaaaaabbbbbbbb"}) {
    const auto encoded = tokenizer.encode(text, {scratch, ids, {}, begins});
    if (!encoded.ok()) continue;
    const std::span<const int32_t> found(ids.data(), encoded.value().num_ids);
    for (size_t i = 0; i < found.size(); ++i) {
      REQUIRE((found[i] >= 0 && static_cast<size_t>(found[i]) < num_ids));
      REQUIRE(begins[i] <= text.size());
    }
    REQUIRE(tokenizer.decode(found, out).ok());
  }
}

}  // namespace

TEST_CASE("the undamaged sample is accepted", "[tokenizer]") {
  const auto data = sample(TokenizerKind::kUnigram);
  const auto tokenizer = text::Tokenizer::create(data.view());
  REQUIRE(tokenizer.ok());
  use(tokenizer.value(), data.options.num_ids);
}

TEST_CASE("contradictions in the tables are refused", "[tokenizer]") {
  const std::vector<Damage> damages = {
      [](TokenizerData& d) { d.options.kind = static_cast<TokenizerKind>(9); },
      [](TokenizerData& d) { d.options.kind = static_cast<TokenizerKind>(0); },
      [](TokenizerData& d) { d.piece_offsets.clear(); },
      [](TokenizerData& d) { d.piece_offsets.resize(1); },
      [](TokenizerData& d) { d.piece_offsets.front() = 1; },
      [](TokenizerData& d) { d.piece_offsets.back() += 1; },
      [](TokenizerData& d) { d.piece_offsets[4] = d.piece_offsets[3]; },
      [](TokenizerData& d) { d.piece_offsets[4] = 0xFFFFFFF0u; },
      [](TokenizerData& d) { d.piece_bytes.pop_back(); },
      [](TokenizerData& d) { d.piece_bytes.append(9000, 'x'), d.piece_offsets.back() += 9000; },
      [](TokenizerData& d) { d.piece_scores.pop_back(); },
      [](TokenizerData& d) { d.piece_scores[3] = std::numeric_limits<float>::quiet_NaN(); },
      [](TokenizerData& d) { d.piece_scores[3] = -std::numeric_limits<float>::infinity(); },
      [](TokenizerData& d) { d.piece_types.push_back(1); },
      [](TokenizerData& d) { d.piece_types[3] = 0; },
      [](TokenizerData& d) { d.piece_types[3] = 7; },
      [](TokenizerData& d) { d.piece_types[3] = static_cast<uint8_t>(PieceType::kByte); },
      [](TokenizerData& d) { d.piece_trie.clear(); },
      [](TokenizerData& d) { d.piece_trie.pop_back(); },
      [](TokenizerData& d) { d.piece_trie[0] |= 1u << 8; },
      [](TokenizerData& d) { d.piece_trie[0] = 1u << 30; },
      [](TokenizerData& d) { d.user_trie[0] |= 1u << 31; },
      [](TokenizerData& d) { d.normalizer_trie.clear(); },
      [](TokenizerData& d) { d.normalizer_bytes.clear(); },
      [](TokenizerData& d) { d.normalizer_bytes.back() = 'x'; },
      [](TokenizerData& d) { d.byte_pieces.pop_back(); },
      [](TokenizerData& d) { d.byte_pieces[7] = d.options.num_ids; },
      [](TokenizerData& d) { d.options.num_ids = 0; },
      [](TokenizerData& d) { d.options.num_ids = 1u << 20; },
      [](TokenizerData& d) { d.options.unknown_id = static_cast<int32_t>(d.options.num_ids); },
      [](TokenizerData& d) { d.options.unknown_id = -2; },
      [](TokenizerData& d) { d.options.unknown_id = -1, d.byte_pieces.clear(); },
      [](TokenizerData& d) { d.options.end_id = 1 << 20; },
      [](TokenizerData& d) { d.options.unknown_score = std::numeric_limits<float>::infinity(); },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    const Status status = status_after(damages[i]);
    INFO("damage " << i << ": " << status.message());
    CHECK_FALSE(status.ok());
    CHECK(std::string_view(status.message()).size() > 10);
  }
}

TEST_CASE("random damage is refused or does no harm", "[tokenizer]") {
  std::mt19937 random(17);
  const auto flip = [&](void* data, size_t bytes) {
    if (bytes != 0)
      static_cast<unsigned char*>(data)[random() % bytes] ^= static_cast<unsigned char>(1u << random() % 8);
  };
  for (const TokenizerKind kind :
       {TokenizerKind::kUnigram, TokenizerKind::kBpe, TokenizerKind::kWord, TokenizerKind::kCharacter}) {
    const TokenizerData good = sample(kind);
    size_t accepted = 0;
    for (int round = 0; round < 4000; ++round) {
      TokenizerData data = good;
      for (unsigned flips = 1 + random() % 4; flips != 0; --flips) {
        switch (random() % 8) {
          case 0: flip(data.piece_bytes.data(), data.piece_bytes.size()); break;
          case 1: flip(data.piece_offsets.data(), data.piece_offsets.size() * 4); break;
          case 2: flip(data.piece_scores.data(), data.piece_scores.size() * 4); break;
          case 3: flip(data.piece_types.data(), data.piece_types.size()); break;
          case 4: flip(data.piece_trie.data(), data.piece_trie.size() * 4); break;
          case 5: flip(data.user_trie.data(), data.user_trie.size() * 4); break;
          case 6: flip(data.normalizer_trie.data(), data.normalizer_trie.size() * 4); break;
          default: flip(data.byte_pieces.data(), data.byte_pieces.size() * 4); break;
        }
      }
      const auto tokenizer = text::Tokenizer::create(data.view());
      if (!tokenizer.ok()) continue;
      ++accepted;
      use(tokenizer.value(), data.options.num_ids);
    }
    CHECK(accepted > 100);
  }
}

TEST_CASE("a trie that runs in a circle costs no more than its longest piece", "[tokenizer]") {
  for (const TokenizerKind kind : {TokenizerKind::kUnigram, TokenizerKind::kBpe, TokenizerKind::kCharacter}) {
    TokenizerData data = sample(kind);
    // Every unit of block 0 is reached by its own number, and leads back into block 0.
    const auto circle = [](std::vector<uint32_t>& trie) {
      trie.assign(512, 0);
      for (uint32_t i = 1; i < 256; ++i) trie[i] = (i ^ (i & 0xFF)) << 10 | (i << 10) | i;
      trie[0] = 0;
    };
    circle(data.piece_trie);
    circle(data.user_trie);
    circle(data.normalizer_trie);
    const auto tokenizer = text::Tokenizer::create(data.view());
    REQUIRE(tokenizer.ok());
    const std::string text(200000, 'a');
    std::vector<std::byte> scratch(tokenizer.value().scratch_bytes(text.size()));
    std::vector<int32_t> ids(3 * text.size());
    // With an unbounded walk this would take 10^10 steps.
    CHECK(tokenizer.value().encode(text, {scratch, ids, {}, {}}).ok());
  }
}
