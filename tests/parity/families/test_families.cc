// Every family in f32: teacher-forced logits and encoder states within 1e-4, greedy and beam ids equal to the
// recording.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/parity/families/family_model.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::Ids;

constexpr double kTolerance = 1e-4;
constexpr double kScoreTolerance = 1e-3;
constexpr uint32_t kNewTokens = 20;  // as recorded

const std::string kFolder = DRAGOMAN_FAMILIES_DIR;

converter::ConvertOptions float_options(const std::string& folder) {
  converter::ConvertOptions options;
  options.input = folder;
  options.weight_type = converter::WeightType::kF32;
  return options;
}

json reference(const std::string& family) {
  std::ifstream file(kFolder + "/" + family + "/reference.json");
  REQUIRE(file.good());
  return json::parse(file);
}

std::vector<Ids> sources(const json& recorded) {
  std::vector<Ids> result;
  REQUIRE(!recorded["input_ids"].empty());
  for (size_t i = 0; i < recorded["input_ids"].size(); ++i) {
    Ids ids;
    for (size_t t = 0; t < recorded["input_ids"][i].size(); ++t) {
      if (recorded["attention_mask"][i][t] == 1) ids.push_back(recorded["input_ids"][i][t]);
    }
    result.push_back(std::move(ids));
  }
  return result;
}

// What the decoder is fed. M2M100 numbers positions without padding, which a decoder never sees here, so its padding
// goes.
Ids decoder_ids(const json& recorded, size_t sentence) {
  Ids ids = recorded["decoder_input_ids"][sentence].get<Ids>();
  while (recorded["family"] == "m2m100" && ids.back() == 1) ids.pop_back();
  return ids;
}

// max|a - b| / max|b|.
double distance(std::span<const float> computed, std::span<const float> recorded) {
  REQUIRE(computed.size() == recorded.size());
  double difference = 0, largest = 0;
  for (size_t i = 0; i < computed.size(); ++i) {
    REQUIRE(std::isfinite(computed[i]));
    difference = std::max(difference, std::fabs(static_cast<double>(computed[i]) - recorded[i]));
    largest = std::max(largest, std::fabs(static_cast<double>(recorded[i])));
  }
  return difference / largest;
}

void check_forced(FamilyModel& model, const json& recorded) {
  const std::vector<Ids> inputs = sources(recorded);
  const auto logits = recorded["decoder_logits"]["data"].get<std::vector<float>>();
  const auto states = recorded["encoder_last_hidden_state"]["data"].get<std::vector<float>>();
  const size_t row = logits.size() / inputs.size();
  const size_t padded = states.size() / inputs.size();
  const size_t width = recorded["encoder_last_hidden_state"]["shape"][2];
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFO("sentence " << i);
    const std::vector<float> computed = model.forced_logits(inputs[i], decoder_ids(recorded, i));
    CHECK(distance(computed, std::span(logits).subspan(i * row, computed.size())) <= kTolerance);
    CHECK(distance(model.encoder_states(), std::span(states).subspan(i * padded, inputs[i].size() * width)) <=
          kTolerance);
  }
}

void check_search(const FamilyModel& model, const json& recorded) {
  for (const uint32_t beam : {1u, 4u}) {
    const auto found = model.translate(sources(recorded), beam, kNewTokens, recorded["family"] == "marian");
    for (size_t i = 0; i < found.size(); ++i) {
      INFO("sentence " << i << ", beam " << beam);
      Ids expected = recorded[beam == 1 ? "greedy_ids" : "beam4_ids"][i].get<Ids>();
      expected.erase(expected.begin());  // the start token
      CHECK(found[i].ids == expected);
      if (beam == 4)
        CHECK(std::fabs(found[i].rank_score - recorded["beam4_score"][i].get<double>()) <= kScoreTolerance);
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

// The model folder `family` with its weights replaced by those in `weights`, an empty name meaning unchanged.
class CopiedFolder {
 public:
  CopiedFolder(const std::string& family, const std::string& weights) {
    namespace fs = std::filesystem;
    path_ = fs::temp_directory_path() / ("dragoman_folder_" + std::to_string(getpid()));
    fs::remove_all(path_);
    fs::create_directory(path_);
    for (const char* name : {"config.json", "generation_config.json"}) {
      fs::copy_file(fs::path(kFolder) / family / name, path_ / name);
    }
    fs::copy_file(fs::path(kFolder) / family / weights, path_ / "pytorch_model.bin");
  }
  ~CopiedFolder() { std::filesystem::remove_all(path_); }

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("MarianMT from PyTorch checkpoints of both kinds agrees with its recording", "[families]") {
  const json recorded = reference("marian");
  for (const char* weights : {"pytorch_model.bin", "pytorch_model_legacy.bin"}) {
    INFO(weights);
    const CopiedFolder folder("marian", weights);
    FamilyModel model(float_options(folder.path()), ops::Compute::kF32);
    check_forced(model, recorded);
    check_search(model, recorded);
  }
}

TEST_CASE("Marian training files with self-attention decoder agree with an independent computation", "[families]") {
  const std::string folder = kFolder + "/marian-npz/";
  const json expected = json::parse(std::ifstream(folder + "expected.json"));
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
