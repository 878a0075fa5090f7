// Ids of language tokens at the sizes of the published models, layouts, and tags of languages.
#include "converter/languages.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "converter/hugging_face_vocabulary.h"
#include "converter/language_codes.h"
#include "schema/model_generated.h"
#include "tests/unit/converter/converter_support.h"
#include "text/tokenizer.h"

namespace dragoman::converter {
namespace {

void append_varint(size_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void append_field(int number, const std::string& bytes, std::string* out) {
  out->push_back(static_cast<char>(number << 3 | 2));
  append_varint(bytes.size(), out);
  *out += bytes;
}

// A SentencePiece file of so many pieces: fillers but for those named by their index.
std::string spm_file(size_t num_pieces, const std::map<size_t, std::string>& named) {
  std::string file;
  for (size_t i = 0; i < num_pieces; ++i) {
    const std::string controls[] = {"<unk>", "<s>", "</s>"};
    const auto at = named.find(i);
    std::string piece;
    append_field(1, i < 3 ? controls[i] : at != named.end() ? at->second : "filler" + std::to_string(i), &piece);
    const float score = at != named.end() ? -1.0f : -30.0f;
    char bytes[sizeof score];
    std::memcpy(bytes, &score, sizeof score);
    piece += '\x15' + std::string(bytes, sizeof score);
    if (i < 3) piece += std::string("\x18") + (i == 0 ? '\x02' : '\x03');
    append_field(1, piece, &file);
  }
  std::string trainer("\x18\x01", 2);  // unigram
  append_field(2, trainer, &file);
  std::string normalizer;
  append_field(1, "identity", &normalizer);
  append_field(3, normalizer, &file);
  return file;
}

Source source_of(const char* type) {
  Source source;
  source.framework = "hugging-face";
  source.options["model_type"].items = {type};
  return source;
}

// What the converter makes of a vocabulary, without a network.
struct Described {
  HuggingFaceVocabulary vocabulary;
  schema::ModelT model;
  ConvertReport report;
};

Described describe(const test::TemporaryFolder& folder, const Source& source, uint32_t rows) {
  NetworkFacts facts;
  facts.source_vocabulary = facts.target_vocabulary = rows;
  const std::string path = folder.path();
  const std::string none;
  Described made;
  auto vocabulary = read_hugging_face_vocabulary({path, source, facts, none}, &made.report);
  INFO(vocabulary.status().message());
  REQUIRE(vocabulary.ok());
  made.vocabulary = std::move(vocabulary.value());
  made.model.generation = std::make_unique<schema::GenerationT>();
  made.model.generation->end_id = 2;
  const Status status = add_languages({path, source, made.vocabulary, none, none}, &made.model, &made.report);
  INFO(status.message());
  REQUIRE(status.ok());
  return made;
}

int32_t token(const Described& made, const std::string& name) {
  for (const auto& language : made.model.target_languages) {
    if (language->name == name) return language->token;
  }
  return -1;
}

TEST_CASE("CV-12, TK-12: NLLB-200's ids at its published size", "[languages]") {
  const test::TemporaryFolder folder;
  const std::string space = "\xE2\x96\x81";
  // fairseq's ids are SentencePiece's plus one.
  std::ofstream(folder.path("sentencepiece.bpe.model"), std::ios::binary) << spm_file(
      256000,
      {{13373, space + "How"}, {1397, space + "was"}, {4259, space + "your"}, {4038, space + "day"}, {248129, "?"}});
  const Described made = describe(folder, source_of("m2m_100"), 256206);
  REQUIRE(made.model.target_languages.size() == 202);
  CHECK(token(made, "ace_Arab") == 256001);
  CHECK(token(made, "eng_Latn") == 256047);
  CHECK(token(made, "fra_Latn") == 256057);
  CHECK(token(made, "zul_Latn") == 256202);
  CHECK(made.vocabulary.source.options.num_ids == 256204);  // two rows belong to no token
  CHECK(made.vocabulary.source.options.begin_id == 0);
  CHECK(made.vocabulary.source.options.pad_id == 1);
  CHECK(made.vocabulary.source.options.end_id == 2);
  CHECK(made.vocabulary.source.options.unknown_id == 3);
  const auto tokenizer = text::Tokenizer::create(made.vocabulary.source.view());
  REQUIRE(tokenizer.ok());
  std::vector<std::byte> scratch(tokenizer.value().scratch_bytes(64));
  std::vector<int32_t> ids(64);
  const auto encoded = tokenizer.value().encode("How was your day?", {scratch, ids, {}, {}});
  REQUIRE(encoded.ok());
  ids.resize(encoded.value().num_ids);
  CHECK(ids == std::vector<int32_t>{13374, 1398, 4260, 4039, 248130});
  const schema::LanguageLayoutT& layout = *made.model.language_layout;
  CHECK(layout.source_prefix == std::vector<int32_t>{-1});
  CHECK(layout.source_suffix == std::vector<int32_t>{2});
  CHECK(layout.forced_ids == std::vector<int32_t>{-2});
  CHECK(made.model.source_languages[static_cast<size_t>(layout.default_source)]->name == "eng_Latn");
  CHECK(layout.default_target == -1);
}

TEST_CASE("CV-12: M2M100's and mBART's ids at their published sizes", "[languages]") {
  const test::TemporaryFolder m2m;
  std::ofstream(m2m.path("sentencepiece.bpe.model"), std::ios::binary) << spm_file(10, {});
  {
    std::ofstream dictionary(m2m.path("vocab.json"));
    dictionary << R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3)";
    for (int i = 4; i < 128004; ++i) dictionary << ", \"filler" << i << "\": " << i;
    dictionary << "}";
  }
  const Described m2m100 = describe(m2m, source_of("m2m_100"), 128112);
  REQUIRE(m2m100.model.target_languages.size() == 100);
  CHECK(token(m2m100, "af") == 128004);
  CHECK(token(m2m100, "en") == 128022);
  CHECK(token(m2m100, "fr") == 128028);
  CHECK(token(m2m100, "zu") == 128103);
  CHECK(m2m100.vocabulary.source.options.num_ids == 128104);  // the 8 made-up words are unreachable
  CHECK(m2m100.model.language_layout->forced_ids == std::vector<int32_t>{-2});

  const test::TemporaryFolder folder;
  std::ofstream(folder.path("sentencepiece.bpe.model"), std::ios::binary) << spm_file(250000, {});
  const Described mbart = describe(folder, source_of("mbart"), 250027);
  REQUIRE(mbart.model.target_languages.size() == 25);
  CHECK(token(mbart, "en_XX") == 250004);
  CHECK(token(mbart, "ro_RO") == 250020);
  CHECK(mbart.model.language_layout->start_is_target);
  CHECK(mbart.model.language_layout->source_suffix == std::vector<int32_t>{2, -1});
  const Described mbart50 = describe(folder, source_of("mbart"), 250054);
  REQUIRE(mbart50.model.target_languages.size() == 52);
  CHECK(token(mbart50, "en_XX") == 250004);
  CHECK(token(mbart50, "sl_SI") == 250052);
  CHECK_FALSE(mbart50.model.language_layout->start_is_target);
}

TEST_CASE("names of models become BCP 47 tags", "[languages]") {
  const std::map<std::string, std::string> tags = {
      {"eng_Latn", "en"},      {"zho_Hans", "zh-Hans"},     {"zho_Hant", "zh-Hant"},
      {"yue_Hant", "yue"},     {"ace_Arab", "ace-Arab"},    {"ace_Latn", "ace"},
      {"kas_Deva", "ks-Deva"}, {"taq_Tfng", "taq-Tfng"},    {"sat_Beng", "sat"},
      {"kor_Hang", "ko"},      {"nob_Latn", "nb"},          {"en_XX", "en"},
      {"zh_CN", "zh-CN"},      {"pt_br", "pt-BR"},          {"no", "nb"},
      {"sr_Latn", "sr-Latn"},  {"some words", "some words"}};
  for (const auto& [name, tag] : tags) CHECK(language_tag(name) == tag);
  CHECK(single_language("en") == "en");
  for (const char* group : {"ROMANCE", "mul", "gem", ""}) CHECK(single_language(group).empty());
  // No two languages of a model may have one tag.
  for (std::vector<std::string> names : {nllb_languages(), m2m100_languages(), mbart_languages(true)}) {
    std::transform(names.begin(), names.end(), names.begin(), language_tag);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    INFO((twice == names.end() ? "" : *twice));
    CHECK(twice == names.end());
  }
}

TEST_CASE("added tokens of a fine-tuned vocabulary keep their ids", "[languages]") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path("sentencepiece.bpe.model"), std::ios::binary) << spm_file(20, {});
  // 20 pieces, one more id, 202 languages, the mask: the next id is 224.
  std::ofstream(folder.path("added_tokens.json")) << R"({"tyv_Cyrl": 225, "myv_Cyrl": 224, "eng_Latn": 67})";
  const Described made = describe(folder, source_of("m2m_100"), 226);
  CHECK(made.model.target_languages.size() == 204);
  CHECK(token(made, "eng_Latn") == 67);
  CHECK(token(made, "myv_Cyrl") == 224);
  CHECK(token(made, "tyv_Cyrl") == 225);
}

}  // namespace
}  // namespace dragoman::converter
