// tokenizer.json: what is refused, by name and place; options that the recorded files do not show; vocabularies of
// Hugging Face folders.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "converter/hugging_face_vocabulary.h"
#include "converter/tokenizer_json_tables.h"
#include "converter/unicode_rules.h"
#include "tests/parity/tokenizer/loaded_tokenizer.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::converter {
namespace {

using nlohmann::json;
using test::ConvertedModel;
using test::LoadedTokenizer;
using test::TemporaryFolder;

const std::string kFolder = DRAGOMAN_FAMILIES_DIR "/../tokenizer_json/";

json kind(const std::string& name) { return json::parse(test::read_file(kFolder + name + ".json")); }

Result<JsonVocabulary> read(const json& document) {
  const std::string text = document.dump();
  return read_json_tokenizer(std::as_bytes(std::span(text)));
}

std::string refusal(const json& document) {
  const auto result = read(document);
  return result.ok() ? "accepted" : result.status().message();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

LoadedTokenizer load(const json& document) {
  auto result = read(document);
  INFO(result.status().message());
  REQUIRE(result.ok());
  return LoadedTokenizer(std::move(result.value().data));
}

json bpe_of(const std::vector<std::string>& tokens, const json& merges) {
  json document = kind("llama");
  document["model"]["vocab"] = json::object();
  for (size_t i = 0; i < tokens.size(); ++i) document["model"]["vocab"][tokens[i]] = i;
  document["model"]["merges"] = merges;
  document["model"]["byte_fallback"] = false;
  document["model"]["unk_token"] = "<unk>";
  document["added_tokens"] = json::array();
  document["normalizer"] = document["post_processor"] = nullptr;
  return document;
}

TEST_CASE("tokenizer.json: unknown components and options are all named, with their places") {
  json document = kind("t5");
  document["normalizer"] = {{"type", "Sequence"},
                            {"normalizers",
                             {{{"type", "Precompiled"}, {"precompiled_charsmap", ""}, {"mode", 3}},
                              {{"type", "Upside"}},
                              {{"type", "Replace"}, {"pattern", {{"Regex", "a+"}}}, {"content", ""}}}}};
  const std::string message = refusal(document);
  INFO(message);
  CHECK(contains(message, "3 problems"));
  CHECK(contains(message, "normalizer.normalizers[0] (Precompiled): option 'mode' is not known"));
  CHECK(contains(message, "normalizer.normalizers[1] (Upside)"));
  CHECK(contains(message, "normalizer.normalizers[2] (Replace): replacing 'a+' by ''"));
  document["normalizer"] = nullptr;
  document["pre_tokenizer"]["pretokenizers"].push_back({{"type", "Digits"}, {"individual_digits", true}});
  document["decoder"] = {{"type", "CTC"}};
  CHECK(contains(refusal(document), "pre_tokenizer.pretokenizers[2] (Digits)"));
  CHECK(contains(refusal(document), "decoder (CTC)"));
}

TEST_CASE("tokenizer.json: values that make no sense are refused by their place") {
  const auto with = [](const char* pointer, const json& value, const char* name = "t5") {
    json document = kind(name);
    document[json::json_pointer(pointer)] = value;
    return refusal(document);
  };
  CHECK(contains(with("/model/type", "WordPiece"), "model.type: 'WordPiece'"));
  CHECK(contains(with("/model/unk_id", 100000), "model.unk_id"));
  CHECK(contains(with("/model/unk_id", nullptr), "model.unk_id is missing"));
  CHECK(contains(with("/model/vocab/5", json::array({"x", "high"})), "model.vocab[5]"));
  CHECK(contains(with("/model/vocab/5", json::array({"<pad>", 0})), "has the ids 0 and 5"));
  CHECK(contains(with("/model/vocab/5/0", ""), "token 5 has 0 bytes"));
  CHECK(contains(with("/model/byte_fallback", true), "no token for byte 0x00"));
  CHECK(contains(with("/model/byte_fallback", "yes"), "model.byte_fallback"));
  CHECK(contains(with("/model/dropout", 0.1, "nllb"), "model.dropout"));
  CHECK(contains(with("/model/end_of_word_suffix", "</w>", "nllb"), "model.end_of_word_suffix"));
  CHECK(contains(with("/model/unk_token", "<none>", "nllb"), "model.unk_token"));
  CHECK(contains(with("/model/merges/3", "a b c", "nllb"), "model.merges[3]"));
  CHECK(contains(with("/model/merges/3", json::array({"a", "\u2581nowhere"}), "nllb"), "model.merges[3]: "));
  CHECK(contains(with("/model/vocab/the", -4, "nllb"), "model.vocab.the"));
  CHECK(contains(with("/model/vocab/zz", 16777215, "nllb"), "has id 16777215, but there are only"));
  CHECK(contains(with("/model/vocab/zz", 0, "nllb"), "id 0 belongs to"));
  CHECK(contains(with("/added_tokens/0/id", 5), "has the ids"));
  CHECK(contains(with("/added_tokens/0/special", 1), "added_tokens[0].special"));
  CHECK(contains(with("/added_tokens/5/single_word", true), "added_tokens[5]: single_word"));
  CHECK(contains(with("/normalizer/precompiled_charsmap", "AAA"), "normalizer: its map is not base64"));
  CHECK(contains(with("/normalizer/precompiled_charsmap", "AAAAAAAA"), "normalizer: normalization map"));
  CHECK(contains(with("/normalizer/precompiled_charsmap", nullptr), "accepted"));
  CHECK(contains(with("/pre_tokenizer/pretokenizers/1/replacement", "_"), "pretokenizers[1] (Metaspace)"));
  CHECK(contains(with("/pre_tokenizer/pretokenizers/1/prepend_scheme", "last"), "prepend_scheme 'last'"));
  CHECK(contains(with("/pre_tokenizer/pretokenizers/1/split", "yes"), "split is 'yes'"));
  CHECK(contains(with("/post_processor/type", "Upside"), "post-processor 'Upside'"));
  CHECK(contains(with("/post_processor/special_tokens/<~1s>/ids", {70000}), "post_processor: id 70000"));
  CHECK(contains(with("/decoder", nullptr), "decoder: nothing turns U+2581 into spaces"));
  CHECK(contains(with("/pre_tokenizer", nullptr, "bart"), "decoder: ByteLevel without such a pre-tokenizer"));
  CHECK(contains(with("/model", nullptr), "model"));
}

TEST_CASE("tokenizer.json: a normalizer after one that treats its output is refused") {
  json document = kind("t5_converter");
  json& list = document["normalizer"]["normalizers"];
  std::swap(list[0], list[1]);
  CHECK(contains(refusal(document), "normalizer.normalizers[1] (Precompiled): it stands after"));
}

TEST_CASE("tokenizer.json: merges go by rank, and a stale entry is skipped") {
  json document = bpe_of({"<unk>", "a", "b", "c", "ab", "bc", "abc", "aa"},
                         json::array({"b c", "a b", "ab c", json::array({"a", "a"})}));
  LoadedTokenizer tokenizer = load(document);
  CHECK(tokenizer.ids_of("abc") == std::vector<int32_t>{1, 5});  // not abc: b c comes first
  CHECK(tokenizer.ids_of("ab") == std::vector<int32_t>{4});
  CHECK(tokenizer.ids_of("aaa") == std::vector<int32_t>{7, 1});
  CHECK(tokenizer.ids_of("axxb") == std::vector<int32_t>{1, 0, 2});  // fuse_unk
  document["model"]["fuse_unk"] = false;
  CHECK(load(document).ids_of("axxb") == std::vector<int32_t>{1, 0, 0, 2});
  document["model"]["ignore_merges"] = true;
  CHECK(load(document).ids_of("abc") == std::vector<int32_t>{6});
  document["model"]["merges"] = {"b c", "a bc", "b c"};  // the last of equals has the say
  CHECK(load(document).ids_of("abcx") == std::vector<int32_t>{6, 0});
}

TEST_CASE("tokenizer.json: without an unknown token every character needs a way out") {
  json document = bpe_of({"<unk>", "a"}, json::array());
  document["model"]["unk_token"] = nullptr;
  CHECK(contains(refusal(document), "model.unk_token is missing"));
  CHECK(read(kind("bart")).ok());  // all bytes are there
}

TEST_CASE("tokenizer.json: Unicode's rules") {
  const auto apply = [](const char* name, std::string_view text) { return unicode_rules(name)->apply(text); };
  CHECK(apply("NFKC", "\uFF21\uFB01\u0302 e\u0302\u0323 \u1100\u1161\u11A8") == "Af\u00EE \u1EC7 \uAC01");
  CHECK(apply("NFC", "o\u0302\u0301 \u00F4\u0301 \uFB01") == "\u1ED1 \u1ED1 \uFB01");
  CHECK(apply("NFD", "\u1ED1\uAC01") == "o\u0302\u0301\u1100\u1161\u11A8");
  CHECK(apply("NFKD", "\u00BD") == "1\u20442");
  CHECK(apply("Lowercase", "ÀΣ\u0130") == "àσi\u0307");
  CHECK(apply("StripAccents", "e\u0301") == "e");
  CHECK(apply("Nmt", "a\t\u200Bb\u0001") == "a  b");
  CHECK_FALSE(unicode_rules("Upside").has_value());
}

TEST_CASE("tokenizer.json: rules put together act one after the other") {
  NormalizationRules rules;
  rules.add("A", "bc");
  rules.add("x", " ");
  NormalizationRules next;
  next.add("b", "B");
  next.add("c", "");
  next.add("xy", "never");  // its x is gone before
  rules.append(next);
  CHECK(rules.apply("Abxyz") == "BB yz");
}

// A folder of a tiny T5 (or other) with a tokenizer.json that fits its table.
class FolderWithTokenizer {
 public:
  FolderWithTokenizer(const std::string& family, const json& tokenizer) {
    for (const char* name : {"config.json", "generation_config.json", "model.safetensors"}) {
      std::filesystem::copy_file(std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family + "/" + name, folder_.path(name));
    }
    std::ofstream(folder_.path("tokenizer.json")) << tokenizer.dump();
  }

  Result<ConvertReport> convert(const std::string& vocabulary = "") const {
    ConvertOptions options;
    options.input = folder_.path();
    options.source_vocabulary = vocabulary;
    options.output = folder_.path("out.drg");
    return converter::convert(options);
  }

  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

// As many tokens as a tiny model has rows.
json cut_to(json document, size_t num_tokens) {
  json& model = document["model"];
  while (model["vocab"].size() > num_tokens) model["vocab"].erase(model["vocab"].size() - 1);
  json kept = json::array();
  for (const json& token : document["added_tokens"]) {
    if (token["id"] < num_tokens) kept.push_back(token);
  }
  document["added_tokens"] = kept;
  return document;
}

TEST_CASE("a Hugging Face folder's tokenizer.json is its vocabulary when nothing else is there") {
  json small = cut_to(kind("t5"), 60);
  small["model"]["vocab"][59] = json::array({"\u2581", -2.0});  // what was cut off
  const FolderWithTokenizer made("t5", small);
  const auto report = made.convert();
  INFO(report.status().message());
  REQUIRE(report.ok());
  const ConvertedModel model(made.folder().path("out.drg"));
  const auto& tokenizer = *model.description().source_tokenizer;
  CHECK(tokenizer.num_ids == 60);
  CHECK(tokenizer.kind == schema::TokenizerKind::Unigram);
  CHECK(tokenizer.space_rules != 0);
  const auto& sources = model.description().provenance->source_files;
  CHECK(std::find(sources.begin(), sources.end(), "tokenizer.json") != sources.end());
  // Named by --vocab, the same file from another place gives the same tokenizer.
  const FolderWithTokenizer plain("t5", json::object());
  REQUIRE(plain.convert(made.folder().path("tokenizer.json")).ok());
  CHECK(ConvertedModel(plain.folder().path("out.drg")).description().source_tokenizer->num_ids == 60);
}

TEST_CASE("BART's texts begin with <s>, as its tokenizer.json says") {
  // The tiny model has fewer rows than there are bytes, so Unigram pieces serve here.
  json small = cut_to(kind("mbart"), 60);
  small["post_processor"] = kind("bart")["post_processor"];
  const FolderWithTokenizer made("bart", small);
  const auto report = made.convert();
  INFO(report.status().message());
  REQUIRE(report.ok());
  const ConvertedModel model(made.folder().path("out.drg"));
  REQUIRE(model.description().language_layout != nullptr);
  CHECK(model.description().language_layout->source_prefix == std::vector<int32_t>{0});
  CHECK(model.description().language_layout->source_suffix == std::vector<int32_t>{2});
}

TEST_CASE("a tokenizer.json with more tokens than the model has rows is refused, and so is a broken one") {
  const FolderWithTokenizer large("t5", kind("mt5"));
  const auto report = large.convert();
  REQUIRE_FALSE(report.ok());
  CHECK(contains(report.status().message(), "rows"));
  const FolderWithTokenizer broken("t5", json::object({{"model", 3}}));
  const auto refused = broken.convert();
  REQUIRE_FALSE(refused.ok());
  CHECK(contains(refused.status().message(), "tokenizer.json: model"));
}

TEST_CASE("tokenizer.json: the ids around a text come from its post-processor") {
  const auto ids = [](const char* name) {
    const auto result = read(kind(name));
    REQUIRE(result.ok());
    return std::pair(result.value().prefix_ids, result.value().suffix_ids);
  };
  using Ids = std::vector<int32_t>;
  CHECK(ids("bart") == std::pair(Ids{0}, Ids{2}));
  CHECK(ids("t5") == std::pair(Ids{}, Ids{1}));
  CHECK(ids("llama") == std::pair(Ids{1}, Ids{}));
  CHECK(ids("marian") == std::pair(Ids{}, Ids{}));
  CHECK(ids("mbart").second.size() == 2);
}

}  // namespace
}  // namespace dragoman::converter
