// Multilingual models in f32, from text: languages chosen by name, source ids, logits and searches equal to the
// recording. Neighbours: tests/data/multilingual/make_models.py records.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/parity/families/family_model.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::Ids;

constexpr double kTolerance = 1e-4;
constexpr double kScoreTolerance = 1e-3;
constexpr uint32_t kNewTokens = 20;  // as recorded

const std::string kFolder = DRAGOMAN_MULTILINGUAL_DIR;

// One translation from text.
struct FromText {
  Ids source, ids;
  float rank_score = 0;
  std::string source_language, target_language;
};

bool keep(void* user, const dragoman_segment* segment) {
  auto* kept = static_cast<FromText*>(user);
  kept->source.assign(segment->source_ids, segment->source_ids + segment->num_source_ids);
  kept->ids.assign(segment->ids, segment->ids + segment->num_ids);
  kept->rank_score = segment->rank_score;
  kept->source_language = segment->source_language;
  kept->target_language = segment->target_language;
  return true;
}

// A session of a converted model that translates texts.
class TextModel {
 public:
  explicit TextModel(const std::string& path) {
    dragoman_model_options options = dragoman_default_model_options();
    options.compute = DRAGOMAN_COMPUTE_F32;
    dragoman_error error = {};
    INFO(path << ": " << error.message);
    REQUIRE(dragoman_model_open(path.c_str(), &options, &model_, &error) == DRAGOMAN_OK);
    dragoman_session_options session = dragoman_default_session_options();
    session.max_beam = 4;
    session.max_target_tokens = kNewTokens;
    REQUIRE(dragoman_session_create(model_, &session, nullptr, 0, &session_, &error) == DRAGOMAN_OK);
  }
  ~TextModel() {
    dragoman_session_destroy(session_);
    dragoman_model_close(model_);
  }
  TextModel(const TextModel&) = delete;
  TextModel& operator=(const TextModel&) = delete;

  // A null JSON value names no language.
  dragoman_code translate(const std::string& text, const json& from, const json& to, uint32_t beam, FromText* kept) {
    const std::string source = from.is_null() ? "" : from.get<std::string>();
    const std::string target = to.is_null() ? "" : to.get<std::string>();
    dragoman_translate_options options = dragoman_default_translate_options();
    options.beam = beam;
    options.max_length = kNewTokens;
    options.max_length_factor = 1000;
    options.one_sentence_per_input = true;
    options.source_language = from.is_null() ? nullptr : source.c_str();
    options.target_language = to.is_null() ? nullptr : target.c_str();
    const dragoman_text input = {text.data(), text.size()};
    const dragoman_sink sink = {kept, keep, nullptr};
    return dragoman_translate(session_, &input, 1, &options, &sink, &error_);
  }
  const char* message() const { return error_.message; }

 private:
  dragoman_model* model_ = nullptr;
  dragoman_session* session_ = nullptr;
  dragoman_error error_ = {};
};

json reference(const std::string& name) {
  std::ifstream file(kFolder + "/" + name + "/reference.json");
  REQUIRE(file.good());
  return json::parse(file);
}

converter::ConvertOptions options_of(const std::string& name) {
  converter::ConvertOptions options;
  options.input = kFolder + "/" + name;
  options.weight_type = converter::WeightType::kF32;
  return options;
}

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
  const size_t vocabulary = computed.size() / recorded["target"].size();
  // Rows of the table behind the tokens are not recorded.
  const size_t num_tokens = recorded["logits"].size() / recorded["logit_rows"].size();
  REQUIRE(num_tokens <= vocabulary);
  double difference = 0, largest = 0;
  size_t at = 0;
  for (const size_t row : recorded["logit_rows"]) {
    for (size_t i = 0; i < num_tokens; ++i, ++at) {
      const double expected = recorded["logits"][at];
      const double found = computed[row * vocabulary + i];
      REQUIRE(std::isfinite(found));
      difference = std::max(difference, std::fabs(found - expected));
      largest = std::max(largest, std::fabs(expected));
    }
  }
  CHECK(at == recorded["logits"].size());
  CHECK(difference <= kTolerance * largest);
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
    if (beam == 4) CHECK(std::fabs(found.rank_score - recorded["beam4_score"].get<double>()) <= kScoreTolerance);
  }
}

void check_model(const std::string& name) {
  const json recorded = reference(name);
  FamilyModel model(options_of(name), ops::Compute::kF32);
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
