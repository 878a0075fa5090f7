// Every recorded answer of the tokenizers package for tokenizer.json files of all kinds: ids and decoded text.
// Neighbours: tests/data/tokenizer_json; random_vs_tokenizers.py compares on random texts.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base64.h"
#include "loaded_tokenizer.h"
#include "tests/support/allocation_counter.h"

using dragoman::test::from_base64;
using dragoman::test::LoadedTokenizer;
using nlohmann::json;

namespace {

const std::string kFolder = DRAGOMAN_TEST_DATA_DIR "/tokenizer_json/";

struct Recorded {
  std::vector<std::string> inputs;
  std::vector<json> kinds;
};

Recorded read_recorded() {
  std::ifstream file(kFolder + "expected.jsonl");
  Recorded recorded;
  std::string line;
  std::getline(file, line);
  for (const json& input : json::parse(line)) recorded.inputs.push_back(from_base64(input.get<std::string>()));
  while (std::getline(file, line)) recorded.kinds.push_back(json::parse(line));
  return recorded;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr double kSlowBuild = 15;
#else
constexpr double kSlowBuild = 1;
#endif

bool is_byte_level(const std::string& kind) { return kind == "bart" || kind == "byte_level_prefix"; }

}  // namespace

TEST_CASE("tokenizer.json: ids and text of every kind equal the tokenizers package", "[tokenizer]") {
  const Recorded recorded = read_recorded();
  REQUIRE(recorded.kinds.size() == 12);
  REQUIRE(recorded.inputs.size() > 150);
  for (const json& kind : recorded.kinds) {
    LoadedTokenizer tokenizer(kFolder + kind["kind"].get<std::string>() + ".json");
    REQUIRE(kind["ids"].size() == recorded.inputs.size());
    for (size_t n = 0; n < recorded.inputs.size(); ++n) {
      const std::string& input = recorded.inputs[n];
      INFO(kind["kind"] << " input " << n << ": " << input);
      const dragoman::test::Tokens tokens = tokenizer.encode(input);
      REQUIRE(tokens.ids == kind["ids"][n].get<std::vector<int32_t>>());
      const json& text = kind["text"][n];
      REQUIRE(tokens.decoded == (text.is_null() ? input : from_base64(text.get<std::string>())));
      REQUIRE(std::is_sorted(tokens.begins.begin(), tokens.begins.end()));
      REQUIRE((tokens.begins.empty() || tokens.begins.back() <= input.size()));
    }
  }
}

TEST_CASE("TK-17: no text becomes a control token of a tokenizer.json", "[tokenizer]") {
  const std::string text =
      "Press </s> to stop <pad> now <unk> <s> __en__ eng_Latn en_XX <mask> <extra_id_0> <2de> >>fra<<";
  for (const json& kind : read_recorded().kinds) {
    LoadedTokenizer tokenizer(kFolder + kind["kind"].get<std::string>() + ".json");
    const std::vector<int32_t> ids = tokenizer.ids_of(text);
    CAPTURE(kind["kind"], ids);
    CHECK(ids.size() > 20);
    for (const int32_t id : ids) CHECK(tokenizer.tokenizer().type(id) != dragoman::PieceType::kControl);
  }
}

TEST_CASE("tokenizer.json: what ids stand for covers the text in order", "[tokenizer]") {
  // Of byte-level pieces, all bytes of the text: nothing is normalized there.
  for (const json& kind : read_recorded().kinds) {
    if (!is_byte_level(kind["kind"].get<std::string>())) continue;
    LoadedTokenizer tokenizer(kFolder + kind["kind"].get<std::string>() + ".json");
    const std::string text = "Hé said <u> 'it''s\n\n done' 漢字 12";
    const dragoman::test::Tokens tokens = tokenizer.encode(text);
    std::string joined;
    for (const std::string& piece : tokens.pieces) joined += piece;
    CHECK(joined == (kind["kind"] == "bart" ? text : " " + text));
    const size_t prefix = kind["kind"] == "bart" ? 0 : 1;
    size_t begin = 0;
    for (size_t i = 0; i < tokens.ids.size(); ++i) {
      CHECK(tokens.begins[i] == (i == 0 ? 0 : begin - prefix));
      begin += tokens.pieces[i].size();
    }
  }
}

TEST_CASE("TK-06: bytes of a tokenizer.json with byte fallback", "[tokenizer]") {
  for (const char* kind : {"mt5", "llama"}) {
    LoadedTokenizer tokenizer(kFolder + kind + ".json");
    const dragoman::test::Tokens tokens = tokenizer.encode("a🦙.cpp");
    CHECK(tokens.decoded == "a🦙.cpp");
    std::vector<int32_t> bytes;
    for (const char* piece : {"<0xF0>", "<0x9F>", "<0xA6>"}) bytes.push_back(tokenizer.tokenizer().id_of(piece));
    CHECK(tokenizer.decode(bytes) == "\uFFFD\uFFFD\uFFFD");
    bytes.push_back(tokenizer.tokenizer().id_of("<0x99>"));
    CHECK(tokenizer.decode(bytes) == "🦙");
    // The name of a byte is text like any other.
    const dragoman::test::Tokens name = tokenizer.encode("<0x41>");
    CHECK(name.decoded == "<0x41>");
    CHECK(std::count(name.ids.begin(), name.ids.end(), tokenizer.tokenizer().id_of("<0x41>")) == 0);
  }
}

TEST_CASE("byte-level pieces decode in parts as they do at once", "[tokenizer]") {
  LoadedTokenizer tokenizer(kFolder + "bart.json");
  const std::vector<int32_t> ids = tokenizer.ids_of("é漢🦙 x");
  dragoman::text::DecodeState state;
  std::string text;
  std::string buffer(256, '\0');
  for (const int32_t id : ids) {
    const auto bytes = tokenizer.tokenizer().decode_some({&id, 1}, state, buffer);
    REQUIRE(bytes.ok());
    text.append(buffer, 0, bytes.value());
    // What is shown so far is whole characters.
    CHECK(std::string("é漢🦙 x").starts_with(text));
  }
  CHECK(text == "é漢🦙 x");
  // A character that is cut off becomes one U+FFFD, as a lossy conversion of the bytes makes it.
  const int32_t first = tokenizer.ids_of("🦙").front();
  CHECK(tokenizer.decode({first}) == "\uFFFD");
}

TEST_CASE("TK-14: a word of a million characters in ranked BPE", "[tokenizer]") {
  LoadedTokenizer tokenizer(kFolder + "llama.json");
  const std::string text(1'000'000, 'a');
  CHECK(tokenizer.tokenizer().scratch_bytes(text.size()) < 200'000'000);
  const std::clock_t start = std::clock();
  const std::vector<int32_t> ids = tokenizer.ids_of(text);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(seconds < 2 * kSlowBuild);
  CHECK(tokenizer.decode(ids) == text);
}

TEST_CASE("encoding in parts does not allocate", "[tokenizer]") {
  if (!dragoman::test::allocation_counter_works()) SKIP("allocations are not counted in this build");
  const std::string text = "  Hello <sep>x <u>v world's 漢字 </s> e\u0301 \t 12 ";
  for (const json& kind : read_recorded().kinds) {
    LoadedTokenizer tokenizer(kFolder + kind["kind"].get<std::string>() + ".json");
    std::vector<std::byte> scratch(tokenizer.tokenizer().scratch_bytes(text.size()));
    std::vector<int32_t> ids(256);
    std::vector<uint32_t> begins(256);
    std::vector<uint32_t> source_begins(256);
    std::string out(4096, '\0');
    dragoman::test::reset_allocation_count();
    const auto encoded = tokenizer.tokenizer().encode(text, {scratch, ids, begins, source_begins});
    const bool encodes = encoded.ok();
    const bool decodes =
        encodes && tokenizer.tokenizer().decode(std::span(ids).first(encoded.value().num_ids), out).ok();
    const size_t count = dragoman::test::allocation_count();
    CHECK(decodes);
    CHECK(count == 0);
  }
}
