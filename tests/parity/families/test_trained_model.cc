// A trained MarianMT beside the repository (its texts may not be published): f32 output identical to the recording.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/parity/families/recording.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::Ids;

constexpr uint32_t kMaxLength = 127;  // the recording's 128 count the start token
constexpr double kMinIdentical = 0.99;

TEST_CASE("a trained MarianMT gives the recorded translations in f32", "[families]") {
  const std::string folder = std::string(DRAGOMAN_SHARED_DIR) + "/models/multi30k-en-de";
  if (!std::filesystem::exists(folder)) SKIP("trained MarianMT: " << folder << " is not there");
  const FamilyModel model(test::float_options(folder), ops::Compute::kF32);
  std::vector<Ids> sources, greedy, beam;
  std::ifstream lines(folder + "/reference/reference.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const json recorded = json::parse(line);
    sources.push_back(recorded["input_ids"].get<Ids>());
    greedy.push_back(recorded["greedy_ids"].get<Ids>());
    beam.push_back(recorded["beam4_ids"].get<Ids>());
  }
  REQUIRE(sources.size() == 1000);
  for (const uint32_t width : {1u, 4u}) {
    const auto found = model.translate(sources, width, kMaxLength, true);
    size_t identical = 0;
    for (size_t i = 0; i < found.size(); ++i) identical += found[i].ids == (width == 1 ? greedy : beam)[i] ? 1 : 0;
    WARN("trained MarianMT, f32, beam " << width << ": " << identical << " of " << found.size() << " identical");
    CHECK(static_cast<double>(identical) >= kMinIdentical * static_cast<double>(found.size()));
  }
}

// Two right int8 computations need not agree in every output, so the recorded f32 tokens are forced.
TEST_CASE("int8 models of the trained MarianMT, ours and CTranslate2's, find the recorded tokens best", "[families]") {
  const std::string models = std::string(DRAGOMAN_SHARED_DIR) + "/models/";
  const std::string recording = models + "multi30k-en-de";
  for (const char* name : {"multi30k-en-de", "multi30k-en-de-ctranslate2-int8"}) {
    INFO(name);
    const std::string folder = models + name;
    if (!std::filesystem::exists(folder)) SKIP("trained MarianMT: " << folder << " is not there");
    converter::ConvertOptions options;
    options.input = folder;
    if (folder != recording) options.source_vocabulary = recording + "/source.spm";
    FamilyModel model(options, ops::Compute::kInt8);
    if (folder != recording) CHECK(model.report().quantized.empty());  // its integers are kept
    const int32_t start = model.view().generation().start_id;
    std::ifstream lines(recording + "/reference/reference.jsonl");
    size_t tokens = 0, best = 0;
    std::string line;
    for (size_t i = 0; i < 200 && std::getline(lines, line); ++i) {
      const json recorded = json::parse(line);
      const Ids target = recorded["greedy_ids"].get<Ids>();
      Ids fed = {start};
      fed.insert(fed.end(), target.begin(), target.end() - 1);
      const std::vector<float> logits = model.forced_logits(recorded["input_ids"].get<Ids>(), fed);
      const size_t vocabulary = logits.size() / fed.size();
      for (size_t t = 0; t < target.size(); ++t) {
        // The last row is padding, where there is one.
        const float* row = logits.data() + t * vocabulary;
        best += std::max_element(row, row + 7999) - row == target[t] ? 1 : 0;
        ++tokens;
      }
    }
    WARN(name << ", int8, teacher-forced: " << best << " of " << tokens << " tokens are the best one");
    CHECK(static_cast<double>(best) >= 0.97 * static_cast<double>(tokens));
  }
}

}  // namespace
}  // namespace dragoman
