// Every family in f32: teacher-forced logits and encoder states within 1e-4, greedy and beam ids equal to the
// recording.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/parity/families/recording.h"
#include "tests/support/temporary_folder.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::distance;
using test::FamilyModel;
using test::float_options;
using test::Ids;
using test::kTolerance;

const std::string kFolder = DRAGOMAN_FAMILIES_DIR;

json reference(const std::string& family) { return test::read_recording(kFolder + "/" + family + "/reference.json"); }

void check_forced(FamilyModel& model, const json& recorded) {
  const std::vector<Ids> inputs = test::recorded_sources(recorded);
  const auto logits = recorded["decoder_logits"]["data"].get<std::vector<float>>();
  const auto states = recorded["encoder_last_hidden_state"]["data"].get<std::vector<float>>();
  const size_t row = logits.size() / inputs.size();
  const size_t padded = states.size() / inputs.size();
  const size_t width = recorded["encoder_last_hidden_state"]["shape"][2];
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFO("sentence " << i);
    const std::vector<float> computed = model.forced_logits(inputs[i], test::recorded_target(recorded, i));
    CHECK(distance(computed, std::span(logits).subspan(i * row, computed.size())) <= kTolerance);
    CHECK(distance(model.encoder_states(), std::span(states).subspan(i * padded, inputs[i].size() * width)) <=
          kTolerance);
  }
}

void check_search(const FamilyModel& model, const json& recorded) {
  for (const uint32_t beam : {1u, 4u}) {
    const auto found =
        model.translate(test::recorded_sources(recorded), beam, test::kNewTokens, recorded["family"] == "marian");
    for (size_t i = 0; i < found.size(); ++i) {
      INFO("sentence " << i << ", beam " << beam);
      Ids expected = recorded[beam == 1 ? "greedy_ids" : "beam4_ids"][i].get<Ids>();
      expected.erase(expected.begin());  // the start token
      CHECK(found[i].ids == expected);
      if (beam == 1) continue;
      CHECK(std::fabs(found[i].rank_score - recorded["beam4_score"][i].get<double>()) <= test::kScoreTolerance);
    }
  }
}

void check_family(const std::string& family) {
  const json recorded = reference(family);
  FamilyModel model(float_options(kFolder + "/" + family), ops::Compute::kF32);
  check_forced(model, recorded);
  check_search(model, recorded);
}

TEST_CASE("MarianMT agrees with its recording", "[families]") { check_family("marian"); }
TEST_CASE("BART agrees with its recording", "[families]") { check_family("bart"); }
TEST_CASE("M2M100 agrees with its recording", "[families]") { check_family("m2m100"); }
TEST_CASE("T5 agrees with its recording", "[families]") { check_family("t5"); }
TEST_CASE("T5 v1.1 agrees with its recording", "[families]") { check_family("t5-v1_1"); }
TEST_CASE("mT5 agrees with its recording", "[families]") { check_family("mt5"); }

TEST_CASE("MarianMT from PyTorch checkpoints of both kinds agrees with its recording", "[families]") {
  const json recorded = reference("marian");
  for (const char* weights : {"pytorch_model.bin", "pytorch_model_legacy.bin"}) {
    INFO(weights);
    const test::TemporaryFolder folder;
    for (const char* name : {"config.json", "generation_config.json"}) {
      std::filesystem::copy_file(kFolder + "/marian/" + name, folder.path(name));
    }
    std::filesystem::copy_file(kFolder + "/marian/" + weights, folder.path("pytorch_model.bin"));
    FamilyModel model(float_options(folder.path()), ops::Compute::kF32);
    check_forced(model, recorded);
    check_search(model, recorded);
  }
}

TEST_CASE("Marian training files with self-attention decoder agree with an independent computation", "[families]") {
  const std::string folder = kFolder + "/marian-npz/";
  const json expected = test::read_recording(folder + "expected.json");
  for (const char* name : {"post", "pre"}) {
    INFO(name);
    converter::ConvertOptions options;
    options.model = folder + name + ".npz";
    options.source_vocabulary = folder + name + ".vocab.yml";
    options.weight_type = converter::WeightType::kF32;
    const FamilyModel model(options, ops::Compute::kF32);
    REQUIRE(!expected[name]["sources"].empty());
    for (size_t i = 0; i < expected[name]["sources"].size(); ++i) {
      INFO("sentence " << i);
      const Ids source = expected[name]["sources"][i].get<Ids>();
      const auto length = static_cast<uint32_t>((source.size() * 5 + 1) / 2);
      Ids ids = model.translate({source}, 1, length, false)[0].ids;
      if (!ids.empty() && ids.back() == 0) ids.pop_back();
      CHECK(ids == expected[name]["greedy"][i].get<Ids>());
    }
  }
}

}  // namespace
}  // namespace dragoman
