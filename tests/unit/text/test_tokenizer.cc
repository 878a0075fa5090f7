// Segmentation, options, limits and decoding on models small enough to work out by hand.
#include "text/tokenizer.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tokenizer_models.h"

using namespace dragoman;
using test::make_tokenizer;
using test::plain_model;
using Ids = std::vector<int32_t>;
using Pieces = std::vector<std::string>;

#define SPACE "\xE2\x96\x81"

TEST_CASE("TK-01: of two equally good paths the first found stays", "[tokenizer]") {
  const auto model =
      plain_model(TokenizerKind::kUnigram, {{"!", -2, PieceType::kNormal}, {"!!", -3, PieceType::kNormal}});
  auto tokenizer = make_tokenizer(model);
  // "!!" + "!" and "!" + "!!" both sum to -5; the path that reaches the end from the earlier start was found first.
  CHECK(tokenizer.encode("!!!").ids == Ids{3, 4});
  CHECK(tokenizer.encode("!!!!!").ids == Ids{3, 4, 4});
}

TEST_CASE("TK-01: a lone space vanishes where spaces are folded", "[tokenizer]") {
  auto model = plain_model(TokenizerKind::kUnigram, {{SPACE, -2, PieceType::kNormal}, {"a", -1, PieceType::kNormal}});
  model.add_dummy_prefix = true;
  model.remove_extra_whitespaces = true;
  auto tokenizer = make_tokenizer(model);
  CHECK(tokenizer.encode(" ").ids.empty());
  CHECK(tokenizer.encode("").ids.empty());
  CHECK(tokenizer.encode("  a  a ").ids == Ids{3, 4, 3, 4});
}

TEST_CASE("TK-09: white space options", "[tokenizer]") {
  const auto spaced = [](bool prefix, bool fold, bool suffix) {
    auto model = plain_model(TokenizerKind::kUnigram, {{"a", -1, PieceType::kNormal}});
    model.add_dummy_prefix = prefix;
    model.remove_extra_whitespaces = fold;
    model.whitespace_as_suffix = suffix;
    return make_tokenizer(model).encode("  a  b ").normalized;
  };
  CHECK(spaced(false, false, false) == SPACE SPACE "a" SPACE SPACE "b" SPACE);
  CHECK(spaced(true, false, false) == SPACE SPACE SPACE "a" SPACE SPACE "b" SPACE);
  CHECK(spaced(false, true, false) == "a" SPACE "b");
  CHECK(spaced(true, true, false) == SPACE "a" SPACE "b");
  CHECK(spaced(false, false, true) == SPACE SPACE "a" SPACE SPACE "b" SPACE);
  CHECK(spaced(true, false, true) == SPACE SPACE "a" SPACE SPACE "b" SPACE SPACE);
  CHECK(spaced(false, true, true) == "a" SPACE "b");
  CHECK(spaced(true, true, true) == "a" SPACE "b" SPACE);
}

TEST_CASE("TK-09: an identity model gives the text back", "[tokenizer]") {
  auto model = plain_model(TokenizerKind::kUnigram, {{SPACE, -2, PieceType::kNormal}, {"a", -1, PieceType::kNormal}});
  test::add_byte_pieces(model);
  auto tokenizer = make_tokenizer(model);
  for (const std::string text : {"  a  b ", " ", "", "a\tb\r\n", "\xF0\x9F\xA6\x99.cpp"}) {
    CHECK(tokenizer.encode(text).decoded == text);
  }
}

TEST_CASE("TK-06: bytes of a character without a piece", "[tokenizer]") {
  auto model = plain_model(TokenizerKind::kUnigram, {{"a", -1, PieceType::kNormal}});
  test::add_byte_pieces(model);
  auto tokenizer = make_tokenizer(model);
  const auto tokens = tokenizer.encode(
      "a\xF0\x9F\xA6\x99"
      "a");
  const int32_t zero = 4;  // id of <0x00>
  CHECK(tokens.ids == Ids{3, zero + 0xF0, zero + 0x9F, zero + 0xA6, zero + 0x99, 3});
  CHECK(tokens.pieces == Pieces{"a", "<0xF0>", "<0x9F>", "<0xA6>", "<0x99>", "a"});
  CHECK(tokens.begins == std::vector<uint32_t>{0, 1, 1, 1, 1, 5});
  CHECK(tokenizer.decode({zero + 0xF0, zero + 0x9F, zero + 0xA6}) == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(tokenizer.decode({zero + 0xF0, zero + 0x9F, 3}) ==
        "\xEF\xBF\xBD\xEF\xBF\xBD"
        "a");
}

TEST_CASE("TK-17, TK-13: control pieces are never found in text, U+2581 is a space", "[tokenizer]") {
  auto tokenizer = make_tokenizer(
      plain_model(TokenizerKind::kUnigram, {{"a", -1, PieceType::kNormal}, {SPACE, -1, PieceType::kNormal}}));
  CHECK(tokenizer.encode("a</s>a<s>").ids == Ids{3, 0, 3, 0});
  CHECK(tokenizer.encode("a</s>a<s>").pieces == Pieces{"a", "</s>", "a", "<s>"});
  CHECK(tokenizer.encode("a" SPACE "a").decoded == "a a");
  CHECK(tokenizer.decode({1, 3, 2, 4, 3, 2}) == "a a");
  CHECK(tokenizer.decode({3, 0, 3}) == "a \xE2\x81\x87 a");
}

TEST_CASE("BPE merges the best pair first and the leftmost of equals", "[tokenizer]") {
  using enum PieceType;
  auto tokenizer = make_tokenizer(plain_model(TokenizerKind::kBpe, {{"ab", -1, kNormal},
                                                                    {"bc", -0.5f, kNormal},
                                                                    {"a", -9, kNormal},
                                                                    {"b", -9, kNormal},
                                                                    {"c", -9, kNormal},
                                                                    {"aa", -2, kNormal}}));
  CHECK(tokenizer.encode("abc").pieces == Pieces{"a", "bc"});
  CHECK(tokenizer.encode("abab").pieces == Pieces{"ab", "ab"});
  CHECK(tokenizer.encode("aaa").pieces == Pieces{"aa", "a"});
  CHECK(tokenizer.encode("aaaaxx").pieces == Pieces{"aa", "aa", "xx"});
}

TEST_CASE("BPE takes unused pieces apart and leaves user symbols whole", "[tokenizer]") {
  using enum PieceType;
  auto tokenizer = make_tokenizer(plain_model(
      TokenizerKind::kBpe,
      {{"a", -9, kNormal}, {"b", -9, kNormal}, {"ab", -1, kUnused}, {"aba", -2, kNormal}, {"bb", 0, kUser}}));
  CHECK(tokenizer.encode("ab").pieces == Pieces{"a", "b"});
  CHECK(tokenizer.encode("aba").pieces == Pieces{"aba"});
  CHECK(tokenizer.encode("abba").pieces == Pieces{"a", "bb", "a"});
}

TEST_CASE("a user symbol is kept verbatim by the normalizer", "[tokenizer]") {
  using enum PieceType;
  auto tokenizer = make_tokenizer(
      plain_model(TokenizerKind::kUnigram, {{"a", -1, kNormal}, {"x y", 0, kUser}, {SPACE, -1, kNormal}}));
  const auto tokens = tokenizer.encode("ax ya");
  // The symbol's own space is escaped too, so that it no longer is the piece: as the reference does.
  CHECK(tokens.normalized == "ax" SPACE "ya");
}

TEST_CASE("texts that do not fit are refused by kLimit, scratch_bytes() always fits", "[tokenizer]") {
  using enum PieceType;
  std::mt19937 random(3);
  for (const TokenizerKind kind :
       {TokenizerKind::kUnigram, TokenizerKind::kBpe, TokenizerKind::kWord, TokenizerKind::kCharacter}) {
    auto model = plain_model(kind, {{"a", -1, kNormal}, {"aa", -1, kUnused}, {SPACE, -3, kNormal}});
    model.add_dummy_prefix = true;
    auto loaded = make_tokenizer(model);
    const text::Tokenizer& tokenizer = loaded.tokenizer();
    for (const size_t size : {0u, 1u, 2u, 31u, 1000u}) {
      for (const char filler : {' ', 'a', '\xFF', 'b'}) {
        const std::string text(size, filler);
        std::vector<int32_t> ids(size + 8);
        std::vector<std::byte> scratch(tokenizer.scratch_bytes(size) + 64);
        const size_t misfit = random() % 64;
        const std::span<std::byte> shifted = std::span(scratch).subspan(misfit, tokenizer.scratch_bytes(size));
        const auto encoded = tokenizer.encode(text, {shifted, ids, {}, {}});
        INFO("kind " << static_cast<int>(kind) << ", " << size << " bytes of " << static_cast<int>(filler) << ": "
                     << encoded.status().message());
        REQUIRE(encoded.ok());
        if (encoded.value().num_ids == 0) continue;
        const auto few = tokenizer.encode(text, {shifted, std::span(ids).first(encoded.value().num_ids - 1), {}, {}});
        REQUIRE_FALSE(few.ok());
        CHECK(few.status().code() == Code::kLimit);
        if (size < 1000) continue;
        for (const size_t less : {0u, 1u, 200u, 900u}) {
          const auto small = tokenizer.encode(text, {shifted.first(less), ids, {}, {}});
          REQUIRE_FALSE(small.ok());
          CHECK(small.status().code() == Code::kLimit);
        }
      }
    }
  }
}

TEST_CASE("decoding in parts equals decoding at once", "[tokenizer]") {
  auto model =
      plain_model(TokenizerKind::kUnigram, {{SPACE "a", -1, PieceType::kNormal}, {SPACE, -1, PieceType::kNormal}});
  test::add_byte_pieces(model);
  model.add_dummy_prefix = true;
  for (const bool fold : {false, true}) {
    model.remove_extra_whitespaces = fold;
    auto loaded = make_tokenizer(model);
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
      std::vector<int32_t> ids(random() % 20);
      for (int32_t& id : ids) id = static_cast<int32_t>(random() % (random() % 2 == 0 ? 6 : model.pieces.size()));
      std::string parts;
      text::DecodeState state;
      char out[64];
      for (const int32_t& id : ids) {
        const auto size = loaded.tokenizer().decode_some({&id, 1}, state, out);
        REQUIRE(size.ok());
        parts.append(out, size.value());
      }
      parts.append(out, loaded.tokenizer().decode_end(state, out).value());
      CHECK(parts == loaded.decode(ids));
    }
  }
}

TEST_CASE("decoding refuses foreign ids and a small buffer", "[tokenizer]") {
  auto loaded = make_tokenizer(plain_model(TokenizerKind::kUnigram, {{"abc", -1, PieceType::kNormal}}));
  char out[8];
  for (const int32_t id : {-1, 4, INT32_MAX, INT32_MIN}) {
    const auto decoded = loaded.tokenizer().decode({&id, 1}, out);
    REQUIRE_FALSE(decoded.ok());
    CHECK(decoded.status().code() == Code::kInvalidArgument);
    CHECK(loaded.tokenizer().piece(id).empty());
  }
  const int32_t ids[] = {3, 3, 3};
  CHECK(loaded.tokenizer().decode(ids, std::span(out).first(8)).status().code() == Code::kLimit);
  CHECK(loaded.tokenizer().decode(std::span(ids).first(2), out).value() == 6);
}

TEST_CASE("pieces and ids find each other", "[tokenizer]") {
  auto model = plain_model(TokenizerKind::kUnigram, {{"a", -1, PieceType::kNormal}, {"sep", 0, PieceType::kUser}});
  test::add_byte_pieces(model);
  auto loaded = make_tokenizer(model);
  const text::Tokenizer& tokenizer = loaded.tokenizer();
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const int32_t id = static_cast<int32_t>(i);
    CHECK(tokenizer.piece(id) == model.pieces[i].text);
    CHECK(tokenizer.id_of(model.pieces[i].text) == id);
    CHECK(tokenizer.type(id) == model.pieces[i].type);
  }
  CHECK(tokenizer.id_of("se") == -1);
  CHECK(tokenizer.id_of("") == -1);
  CHECK(tokenizer.unknown_id() == 0);
  CHECK(tokenizer.begin_id() == 1);
  CHECK(tokenizer.end_id() == 2);
  CHECK(tokenizer.pad_id() == -1);
}

TEST_CASE("pieces beyond num_ids come out as the unknown id (TK-16)", "[tokenizer]") {
  auto data =
      test::build(plain_model(TokenizerKind::kUnigram, {{"a", -1, PieceType::kNormal}, {"b", -1, PieceType::kNormal}}));
  data.options.num_ids = 4;
  test::LoadedTokenizer tokenizer(std::move(data));
  CHECK(tokenizer.encode("abba").ids == Ids{3, 0, 0, 3});
  CHECK(tokenizer.tokenizer().id_of("b") == -1);
}

TEST_CASE("a Marian vocabulary splits at spaces and joins with them", "[tokenizer]") {
  converter::MarianVocab vocab{{"</s>", "<unk>", "hello", "w\xC3\xB6rld", ","}, 0, 1};
  auto data = converter::build_tokenizer(vocab);
  REQUIRE(data.ok());
  test::LoadedTokenizer tokenizer(std::move(data.value()));
  const auto tokens = tokenizer.encode("  hello , </s> xyz xyz  w\xC3\xB6rld");
  CHECK(tokens.ids == Ids{2, 4, 1, 1, 1, 3});
  CHECK(tokens.pieces == Pieces{"hello", ",", "</s>", "xyz", "xyz", "w\xC3\xB6rld"});
  CHECK(tokens.begins == std::vector<uint32_t>{2, 8, 10, 15, 19, 24});
  CHECK(tokens.decoded == "hello , <unk> <unk> <unk> w\xC3\xB6rld");
  CHECK(tokenizer.decode({2, 0, 3, 0}) == "hello w\xC3\xB6rld");
}
