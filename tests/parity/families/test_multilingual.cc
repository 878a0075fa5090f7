// Multilingual models in f32, from text: languages chosen by name, source ids, logits and searches equal to the
// recording. Neighbours: tests/data/multilingual/make_models.py records.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/parity/families/recording.h"
#include "tests/parity/families/text_model.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::FromText;
using test::Ids;
using test::TextModel;

const std::string kFolder = DRAGOMAN_MULTILINGUAL_DIR;

void check_languages(const FamilyModel& model, const json& languages) {
  REQUIRE(model.view().num_target_languages() == languages.size());
  for (size_t i = 0; i < languages.size(); ++i) {
    const model::LanguageInfo language = model.view().target_language(i);
    CAPTURE(language.name);
    REQUIRE(languages.contains(language.name));
    CHECK(languages[language.name] == language.token);
  }
}

void check_logits(FamilyModel& model, const json& recorded) {
  const std::vector<float> computed = model.forced_logits(recorded["source"].get<Ids>(), recorded["target"].get<Ids>());
  // Rows of the table behind the tokens are not recorded.
  test::check_rows(computed, computed.size() / recorded["target"].size(), recorded["logit_rows"], recorded["logits"]);
}

void check_search(TextModel& model, const json& recorded) {
  for (const uint32_t beam : {1u, 4u}) {
    CAPTURE(beam);
    FromText found;
    const dragoman_code code = model.translate(recorded["text"], recorded["from"], recorded["to"], beam, &found);
    INFO(model.message());
    REQUIRE(code == DRAGOMAN_OK);
    CHECK(found.source == recorded["source"].get<Ids>());
    CHECK(found.ids == recorded[beam == 1 ? "greedy" : "beam4"].get<Ids>());
    if (beam == 4) CHECK(std::fabs(found.rank_score - recorded["beam4_score"].get<double>()) <= test::kScoreTolerance);
  }
}

void check_model(const std::string& name) {
  const std::string folder = kFolder + "/" + name;
  const json recorded = test::read_recording(folder + "/reference.json");
  FamilyModel model(test::float_options(folder), ops::Compute::kF32);
  TextModel texts(model.path());
  if (!recorded["languages"].empty()) check_languages(model, recorded["languages"]);
  REQUIRE(!recorded["cases"].empty());
  for (const json& one : recorded["cases"]) {
    INFO(name << ": " << one["from"] << " to " << one["to"] << ", " << one["text"]);
    check_logits(model, one);
    check_search(texts, one);
  }
}

TEST_CASE("NLLB by names agrees with its recording", "[multilingual]") { check_model("nllb"); }
TEST_CASE("NLLB with legacy_behaviour agrees with its recording", "[multilingual]") { check_model("nllb-legacy"); }
TEST_CASE("M2M100 by names agrees with its recording", "[multilingual]") { check_model("m2m100"); }
TEST_CASE("SMaLL-100 by names agrees with its recording", "[multilingual]") { check_model("small100"); }
TEST_CASE("mBART by names agrees with its recording", "[multilingual]") { check_model("mbart"); }
TEST_CASE("mBART-50 by names agrees with its recording", "[multilingual]") { check_model("mbart50"); }
TEST_CASE("OPUS-MT with several targets agrees with its recording", "[multilingual]") { check_model("opus"); }
TEST_CASE("MADLAD by names agrees with its recording", "[multilingual]") { check_model("madlad"); }
TEST_CASE("T5's translation tasks agree with their recording", "[multilingual]") { check_model("t5"); }
TEST_CASE("UMT5 agrees with its recording", "[multilingual]") { check_model("umt5"); }

}  // namespace
}  // namespace dragoman
