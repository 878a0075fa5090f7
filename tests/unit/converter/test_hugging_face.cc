// Hugging Face folders: options, settings for decoding, aliases, positions, buckets.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "converter/arranged_pieces.h"
#include "converter/graph/positions.h"
#include "converter/graph/relative_bias.h"
#include "tests/unit/converter/converter_support.h"
#include "text/tokenizer.h"

namespace dragoman::converter {
namespace {

using Catch::Matchers::WithinAbs;
using test::ConvertedModel;
using test::HuggingFaceFolder;
using test::model_of;
using test::notes_name;

HuggingFaceFolder tiny(const std::string& family) {
  return HuggingFaceFolder(std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family);
}

TEST_CASE("CV-01 the three tables of sinusoids", "[positions]") {
  const double open[8] = {0.141120, 0.295520, 0.029996, 0.003000, -0.989992, 0.955336, 0.999550, 0.999996};
  const double closed[8] = {0.909297, 0.092699, 0.004309, 0.000200, -0.416147, 0.995694, 0.999991, 1.000000};
  const std::vector<float> marian_mt = sinusoid_table(4, 8, SinusoidStep::kOpen);
  const std::vector<float> m2m100 = sinusoid_table(1, 8, SinusoidStep::kClosed, 2);
  for (size_t i = 0; i < 8; ++i) {
    CHECK_THAT(marian_mt[3 * 8 + i], WithinAbs(open[i], 1e-6));
    CHECK_THAT(m2m100[i], WithinAbs(closed[i], 1e-6));
  }
}

TEST_CASE("RT-09 buckets of relative distances", "[relative_bias]") {
  const int64_t both[] = {0, -7, 7, -8, 8, -11, -12, -90, -91, -500, 500};
  const uint32_t both_buckets[] = {0, 7, 23, 8, 24, 8, 9, 14, 15, 15, 31};
  for (size_t i = 0; i < std::size(both); ++i) CHECK(relative_bucket(both[i], 32, 128, false) == both_buckets[i]);
  const int64_t causal[] = {0, -15, -16, -18, -19, -112, -113, -1000};
  const uint32_t causal_buckets[] = {0, 15, 16, 16, 17, 30, 31, 31};
  for (size_t i = 0; i < std::size(causal); ++i) CHECK(relative_bucket(causal[i], 32, 128, true) == causal_buckets[i]);
}

TEST_CASE("CV-09 generation_config.json counts where the files contradict", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("m2m100");
  folder.config["forced_bos_token_id"] = 7;
  folder.config["num_beams"] = 5;
  folder.config["max_length"] = 20;
  const auto report = folder.convert();
  REQUIRE(report.ok());
  CHECK(notes_name(report.value(), "'forced_bos_token_id' is 7 in config.json and 191 in generation_config.json"));
  const ConvertedModel model = model_of(folder);
  const schema::GenerationT& generation = *model.description().generation;
  CHECK(generation.forced_ids == std::vector<int32_t>{191});
  CHECK(generation.beam_size == 4);
  CHECK(generation.max_length == 63);  // the start token is not counted
}

TEST_CASE("CV-10 options with defaults may be missing, others are named", "[hugging_face]") {
  HuggingFaceFolder complete = tiny("marian");
  const std::vector<float> whole = model_of(complete).values("embedding");
  for (const char* key : {"normalize_before", "normalize_embedding", "scale_embedding", "add_final_layer_norm"}) {
    HuggingFaceFolder folder = tiny("marian");
    REQUIRE(folder.config.erase(key) == 1);
    CHECK(model_of(folder).values("embedding") == whole);
  }
  for (const char* key : {"d_model", "encoder_layers", "decoder_layers", "vocab_size"}) {
    INFO(key);
    HuggingFaceFolder folder = tiny("marian");
    REQUIRE(folder.config.erase(key) == 1);
    const auto report = folder.convert();
    REQUIRE(!report.ok());
    CHECK(std::string(report.status().message()).find(std::string("option '") + key + "' is missing") !=
          std::string::npos);
  }
}

TEST_CASE("unknown options that switch something on, and unknown activations, are refused by name", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  folder.config["use_magic"] = true;
  folder.config["use_nothing"] = false;
  folder.config["activation_function"] = "snake";
  const auto report = folder.convert();
  REQUIRE(!report.ok());
  const std::string message = report.status().message();
  CHECK(message.find("use_magic") != std::string::npos);
  CHECK(message.find("snake") != std::string::npos);
  CHECK(message.find("use_nothing") == std::string::npos);
}

TEST_CASE("MF-09 the same folder gives the same bytes", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("t5");
  REQUIRE(folder.convert().ok());
  const auto first = test::read_bytes(folder.path("out.drg"));
  REQUIRE(folder.convert().ok());
  CHECK(test::read_bytes(folder.path("out.drg")) == first);
}

SentencePieceModel made_up_pieces() {
  SentencePieceModel model;
  model.pieces = {{"<unk>", 0, PieceType::kUnknown},
                  {"<s>", 0, PieceType::kControl},
                  {"</s>", 0, PieceType::kControl},
                  {"\xE2\x96\x81", -4},
                  {"X", -1},
                  {"Y", -2}};
  return model;
}

TEST_CASE("TK-16 ids are those of the dictionary, never the pieces' own", "[arranged]") {
  std::vector<DictionaryEntry> dictionary = {{"</s>", true}, {"<unk>", true}, {"Z", false}, {"\xE2\x96\x81", false}};
  for (int i = 4; i < 900; ++i) dictionary.push_back({"filler" + std::to_string(i), false});
  dictionary.push_back({"X", false});
  dictionary.push_back({"<pad>", true});
  const auto data = arrange_pieces(made_up_pieces(), dictionary, "<unk>");
  INFO(data.status().message());
  REQUIRE(data.ok());
  const auto tokenizer = text::Tokenizer::create(data.value().view());
  INFO(tokenizer.status().message());
  REQUIRE(tokenizer.ok());
  CHECK(tokenizer.value().num_ids() == 902);
  CHECK(tokenizer.value().end_id() == 0);
  CHECK(tokenizer.value().pad_id() == 901);
  CHECK(tokenizer.value().unknown_id() == 1);
  std::vector<std::byte> scratch(tokenizer.value().scratch_bytes(256));
  std::vector<int32_t> ids(64);
  std::vector<uint32_t> begins(64);
  const auto encoded = tokenizer.value().encode("XYZ</s>X", {scratch, ids, begins, {}});
  REQUIRE(encoded.ok());
  ids.resize(encoded.value().num_ids);
  CHECK(ids.front() == 3);
  CHECK(ids[1] == 900);
  CHECK(ids[2] == 1);  // Y has a piece and no id, Z an id and no piece
  CHECK(ids.back() == 900);
  for (const int32_t id : ids) CHECK((id == 900 || id == 1 || id == 3));  // TK-17: no end token inside
}

}  // namespace
}  // namespace dragoman::converter
