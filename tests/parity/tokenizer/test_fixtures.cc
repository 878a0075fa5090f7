// Every recorded answer of the reference library: ids, pieces, normalized text and decoded text, byte for byte.
// Neighbours: tests/data/spm (part of the repository), and all of fixtures/spm where the shared folder is at hand.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base64.h"
#include "loaded_tokenizer.h"

namespace fs = std::filesystem;
using dragoman::test::from_base64;

namespace {

size_t check_rows(const fs::path& model, const fs::path& rows) {
  dragoman::test::LoadedTokenizer tokenizer(model.string());
  std::ifstream file(rows);
  size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const std::string text = from_base64(row["input_b64"].get<std::string>());
    INFO(model << " row " << row["n"] << ", input_b64 " << row["input_b64"]);
    const dragoman::test::Tokens tokens = tokenizer.encode(text);
    REQUIRE(tokens.ids == row["ids"].get<std::vector<int32_t>>());
    REQUIRE(tokens.pieces == row["pieces"].get<std::vector<std::string>>());
    REQUIRE(tokens.normalized == from_base64(row["normalized_b64"].get<std::string>()));
    REQUIRE(tokens.decoded == from_base64(row["decoded_b64"].get<std::string>()));
    REQUIRE(std::is_sorted(tokens.begins.begin(), tokens.begins.end()));
    REQUIRE((tokens.begins.empty() || tokens.begins.back() <= text.size()));
  }
  return count;
}

}  // namespace

TEST_CASE("the repository's SentencePiece fixtures", "[tokenizer]") {
  size_t models = 0;
  for (const auto& entry : fs::directory_iterator(DRAGOMAN_TEST_DATA_DIR "/spm")) {
    if (entry.path().extension() != ".model") continue;
    CHECK(check_rows(entry.path(), fs::path(entry.path()).replace_extension(".jsonl")) >= 100);
    ++models;
  }
  CHECK(models == 7);
}

TEST_CASE("all SentencePiece fixtures of the shared folder", "[tokenizer]") {
  const fs::path folder = fs::path(DRAGOMAN_SHARED_DIR) / "fixtures/spm";
  if (!fs::is_directory(folder)) SKIP("no folder " << folder << ": set DRAGOMAN_SHARED_DIR to run this test");
  size_t models = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    CHECK(check_rows(entry.path() / "model.model", entry.path() / "expected.jsonl") == 547);
    ++models;
  }
  CHECK(models == 14);
}

TEST_CASE("TK-02: compatibility characters follow the model's own map", "[tokenizer]") {
  dragoman::test::LoadedTokenizer tokenizer(DRAGOMAN_TEST_DATA_DIR "/spm/unigram_bytefallback.model");
  const auto normalized = [&](std::string_view text) {
    const std::string all = tokenizer.encode(std::string("x").append(text).append("y")).normalized;
    // Without the dummy prefix and the two letters.
    return all.substr(4, all.size() - 5);
  };
  const std::pair<const char*, const char*> expected[] = {
      {"\uFE30", ".."},  {"\u0140", "l\u00B7"},  {"\u0149", "\u02BCn"}, {"\uFF12", "2"},
      {"\u2026", "..."}, {"\u00BD", "1\u20442"}, {"\u2122", "TM"},      {"\uFB01", "fi"},
      {"\u2474", "(1)"}, {"\u3000", "\u2581"},   {"\u00A0", "\u2581"},  {"\uFF5E", "\uFF5E"},
  };
  for (const auto& [text, result] : expected) CHECK(normalized(text) == result);
}

TEST_CASE("TK-04: joiners and direction marks follow the map inside the model", "[tokenizer]") {
  const auto between = [](dragoman::test::LoadedTokenizer& tokenizer, std::string_view character) {
    return tokenizer.encode(std::string("a").append(character).append("b")).normalized;
  };
  const std::string spaced = "\u2581a\u2581b";
  dragoman::test::LoadedTokenizer newer(DRAGOMAN_TEST_DATA_DIR "/spm/unigram_bytefallback.model");
  for (const char* blank : {"\u200E", "\u200F", "\u200B", "\uFEFF", "\u200C", "\u061C"})
    CHECK(between(newer, blank) == spaced);
  CHECK(between(newer, "\u200D") == "\u2581a\u200Db");
  dragoman::test::LoadedTokenizer identity(DRAGOMAN_TEST_DATA_DIR "/spm/bpe_llama_like.model");
  CHECK(between(identity, "\u200E") == "\u2581a\u200Eb");
  // Rules changed over the years: an older model has it the other way round.
  const fs::path older_file = fs::path(DRAGOMAN_SHARED_DIR) / "fixtures/spm/real_enpt/model.model";
  if (!fs::exists(older_file)) SKIP("no " << older_file << ": set DRAGOMAN_SHARED_DIR to check an older map too");
  dragoman::test::LoadedTokenizer older(older_file.string());
  CHECK(between(older, "\u200D") == spaced);
  CHECK(between(older, "\u061C") == "\u2581a\u061Cb");
}
