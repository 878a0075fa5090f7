// CTranslate2 folders of multilingual models: with a SentencePiece model beside them they translate text between named
// languages as the Hugging Face folders of the same weights do.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/parity/families/family_model.h"
#include "tests/parity/families/text_model.h"
#include "tests/support/temporary_folder.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::Ids;

namespace fs = std::filesystem;

const std::string kData = DRAGOMAN_DATA_DIR;

// A copy of the CTranslate2 folder with some files of the Hugging Face one.
class Folder {
 public:
  Folder(const std::string& name, const std::vector<std::string>& beside) {
    for (const auto& entry : fs::directory_iterator(kData + "/ctranslate2-multilingual/" + name)) {
      fs::copy(entry.path(), folder_.path(entry.path().filename().string()));
    }
    for (const std::string& file : beside) fs::copy(kData + "/multilingual/" + name + "/" + file, folder_.path(file));
  }
  void set(const char* key, const json& value) const {
    json config = json::parse(std::ifstream(folder_.path("config.json")));
    config[key] = value;
    std::ofstream(folder_.path("config.json")) << config.dump();
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  converter::ConvertOptions options() const { return test::float_options(folder_.path()); }
  std::string refusal() const {
    converter::ConvertOptions chosen = options();
    chosen.output = folder_.path("refused.drg");
    const auto report = converter::convert(chosen);
    REQUIRE(!report.ok());
    return report.status().message();
  }

 private:
  test::TemporaryFolder folder_;
};

json reference(const std::string& name) {
  return test::read_recording(kData + "/multilingual/" + name + "/reference.json");
}

void check_model(const std::string& name) {
  const Folder folder(name, {"sentencepiece.bpe.model", "tokenizer_config.json"});
  const json recorded = reference(name);
  const FamilyModel model(folder.options(), ops::Compute::kF32);
  REQUIRE(model.view().num_target_languages() == recorded["languages"].size());
  for (size_t i = 0; i < model.view().num_target_languages(); ++i) {
    const model::LanguageInfo language = model.view().target_language(i);
    CHECK(recorded["languages"].value(language.name, -1) == language.token);
  }
  test::TextModel texts(model.path());
  REQUIRE(!recorded["cases"].empty());
  for (const json& one : recorded["cases"]) {
    INFO(name << ": " << one["from"] << " to " << one["to"] << ", " << one["text"]);
    test::FromText found;
    const dragoman_code code = texts.translate(one["text"], one["from"], one["to"], 1, &found);
    INFO(texts.message());
    REQUIRE(code == DRAGOMAN_OK);
    CHECK(found.source == one["source"].get<Ids>());
    CHECK(found.ids == one["greedy"].get<Ids>());
  }
}

TEST_CASE("CTranslate2: NLLB by names", "[ctranslate2]") { check_model("nllb"); }
TEST_CASE("CTranslate2: M2M100 by names", "[ctranslate2]") { check_model("m2m100"); }
TEST_CASE("CTranslate2: mBART by names, whose decoder starts with the language", "[ctranslate2]") {
  check_model("mbart");
}

TEST_CASE("CTranslate2: legacy_behaviour and src_lang of tokenizer_config.json count", "[ctranslate2]") {
  const Folder folder("nllb", {"sentencepiece.bpe.model"});
  std::ofstream(folder.path("tokenizer_config.json")) << R"({"legacy_behaviour": true, "src_lang": "fra_Latn"})";
  const FamilyModel model(folder.options(), ops::Compute::kF32);
  test::TextModel texts(model.path());
  const json one = reference("nllb")["cases"][0];
  test::FromText found;
  REQUIRE(texts.translate(one["text"], nullptr, "deu_Latn", 1, &found) == DRAGOMAN_OK);
  CHECK(found.source_language == "fr");
  const int32_t french = reference("nllb")["languages"]["fra_Latn"], end = 2;
  Ids expected = one["source"].get<Ids>();  // language, text, end
  std::rotate(expected.begin(), expected.begin() + 1, expected.end());
  expected.back() = french;
  CHECK(expected[expected.size() - 2] == end);
  CHECK(found.source == expected);
}

TEST_CASE("CTranslate2: without a SentencePiece model tokenizer.json serves, if its tokens are the model's",
          "[ctranslate2]") {
  const Folder folder("nllb", {});
  const json tokens = json::parse(std::ifstream(folder.path("shared_vocabulary.json")));
  json vocabulary = json::array(), added = json::array();
  for (size_t id = 0; id < tokens.size(); ++id) {
    const std::string token = tokens[id];
    if (token.starts_with("madeupword")) continue;
    const bool piece = id >= 4 && token != "<mask>" && !reference("nllb")["languages"].contains(token);
    vocabulary.push_back({token, piece ? -1.0 - 0.01 * static_cast<double>(id) : 0.0});
    if (piece) continue;
    added.push_back({{"id", id},
                     {"content", token},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  json file = {
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}}},
      {"post_processor", nullptr},
      {"decoder", {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}}},
      {"model", {{"type", "Unigram"}, {"unk_id", 3}, {"byte_fallback", false}, {"vocab", vocabulary}}}};
  std::ofstream(folder.path("tokenizer.json")) << file.dump();
  {
    const FamilyModel model(folder.options(), ops::Compute::kF32);
    test::TextModel texts(model.path());
    test::FromText found;
    REQUIRE(texts.translate("boat", "eng_Latn", "fra_Latn", 1, &found) == DRAGOMAN_OK);
    const json languages = reference("nllb")["languages"];
    REQUIRE(found.source.size() > 2);
    CHECK(found.source.front() == languages["eng_Latn"].get<int32_t>());
    CHECK(found.source.back() == 2);
    CHECK(std::find(found.source.begin(), found.source.end(), 3) == found.source.end());  // no unknown
    CHECK(found.ids.front() == languages["fra_Latn"].get<int32_t>());
  }
  std::swap(file["model"]["vocab"][10], file["model"]["vocab"][11]);
  std::ofstream(folder.path("tokenizer.json")) << file.dump();
  CHECK(folder.refusal().find("token 10 is") != std::string::npos);
}

TEST_CASE("CTranslate2: config.json's tokens around a text", "[ctranslate2]") {
  const Folder folder("nllb", {"sentencepiece.bpe.model"});
  const json one = reference("nllb")["cases"][0];
  const auto source = [&] {
    const FamilyModel model(folder.options(), ops::Compute::kF32);
    test::TextModel texts(model.path());
    test::FromText found;
    REQUIRE(texts.translate(one["text"], one["from"], one["to"], 1, &found) == DRAGOMAN_OK);
    return found.source;
  };
  Ids expected = one["source"].get<Ids>();
  folder.set("add_source_eos", true);
  CHECK(source() == expected);
  folder.set("add_source_bos", true);
  expected.insert(expected.begin(), 0);
  CHECK(source() == expected);
  folder.set("bos_token", "<none>");
  CHECK(folder.refusal().find("add_source_bos is true, but bos_token '<none>'") != std::string::npos);
}

TEST_CASE("CTranslate2: a decoder that starts with a language is refused where none has a token", "[ctranslate2]") {
  const std::string expected = "decoder_start_token is null, and no language takes its place";
  CHECK(Folder("mbart", {}).refusal().find(expected) != std::string::npos);  // words alone
  const Folder newer("mbart", {"sentencepiece.bpe.model"});
  std::ofstream(newer.path("tokenizer_config.json")) << R"({"tokenizer_class": "MBart50Tokenizer"})";
  CHECK(newer.refusal().find(expected) != std::string::npos);  // begins translations, and starts with another token
}

TEST_CASE("CTranslate2: ids for a decoder that starts with a language need one", "[ctranslate2]") {
  const Folder folder("mbart", {"sentencepiece.bpe.model", "tokenizer_config.json"});
  const FamilyModel model(folder.options(), ops::Compute::kF32);
  test::TextModel texts(model.path());
  const json one = reference("mbart")["cases"][0];
  const std::string to = one["to"];
  test::FromText found;
  REQUIRE(texts.translate_ids(one["source"].get<Ids>(), to.c_str(), &found) == DRAGOMAN_OK);
  CHECK(found.ids == one["greedy"].get<Ids>());
  CHECK(texts.translate_ids(one["source"].get<Ids>(), nullptr, &found) != DRAGOMAN_OK);
  CHECK(std::string(texts.message()).find("target language") != std::string::npos);
}

TEST_CASE("CTranslate2: a named SentencePiece model is read like the one in the folder", "[ctranslate2]") {
  const Folder folder("m2m100", {"tokenizer_config.json"});
  const json one = reference("m2m100")["cases"][0];
  converter::ConvertOptions options = folder.options();
  options.source_vocabulary = kData + "/multilingual/m2m100/sentencepiece.bpe.model";
  const FamilyModel model(options, ops::Compute::kF32);
  test::TextModel texts(model.path());
  test::FromText found;
  REQUIRE(texts.translate(one["text"], one["from"], one["to"], 1, &found) == DRAGOMAN_OK);
  CHECK(found.source == one["source"].get<Ids>());
}

}  // namespace
}  // namespace dragoman
