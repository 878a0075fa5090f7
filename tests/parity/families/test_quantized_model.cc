// The trained MarianMT beside the repository in every weight type: how much chrF against the human reference it keeps.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "converter/chrf.h"
#include "converter/converter.h"
#include "dragoman/dragoman.hpp"
#include "tests/parity/families/recording.h"
#include "tests/support/temporary_folder.h"

namespace dragoman {
namespace {

using converter::Chrf;
using converter::ConvertOptions;
using converter::WeightType;
using nlohmann::json;

constexpr uint32_t kMaxLength = 127;  // the recording's 128 count the start token
constexpr size_t kCalibrationLines = 200;
constexpr size_t kAll = 1000, kSome = 300;  // lines translated

struct Texts {
  std::vector<std::string> sources, references, greedy, beam;
};

std::string trained_folder() { return std::string(DRAGOMAN_SHARED_DIR) + "/models/multi30k-en-de"; }

Texts read_texts() {
  Texts texts;
  std::ifstream recorded(trained_folder() + "/reference/reference.jsonl");
  for (std::string line; std::getline(recorded, line);) {
    const json item = json::parse(line);
    texts.sources.push_back(item["src"]);
    texts.greedy.push_back(item["greedy_text"]);
    texts.beam.push_back(item["beam4_text"]);
  }
  std::ifstream references(trained_folder() + "/reference/test_2016_flickr.de");
  for (std::string line; std::getline(references, line);) texts.references.push_back(line);
  return texts;
}

double chrf(const std::vector<std::string>& found, const std::vector<std::string>& references) {
  Chrf score;
  for (size_t i = 0; i < found.size(); ++i) score.add(found[i], references[i]);
  return score.score();
}

std::vector<std::string> translate(const std::string& path, const std::vector<std::string>& sources, uint32_t beam) {
  auto model = Model::open(path);
  INFO(model.error().message());
  REQUIRE(model.ok());
  SessionOptions session_options = Session::default_options();
  session_options.max_batch = 16;
  session_options.max_beam = beam;
  session_options.max_target_tokens = kMaxLength;
  auto session = Session::create(*model, session_options);
  REQUIRE(session.ok());
  TranslateOptions options = Session::default_translate_options();
  options.beam = beam;
  options.max_length = kMaxLength;
  options.force_end = 1;
  options.max_length_factor = 1000;  // max_length alone limits
  options.one_sentence_per_input = true;
  std::vector<dragoman_text> inputs;
  inputs.reserve(sources.size());
  for (const std::string& source : sources) inputs.push_back({source.data(), source.size()});
  std::vector<std::string> found(sources.size());
  const Error error = session->translate(
      inputs.data(), inputs.size(), options,
      [&found](const Segment& segment) {
        found[segment.input].append(segment.text, segment.text_bytes);
        return true;
      },
      [](const InputEnd&) { return true; });
  INFO(error.message());
  REQUIRE(error.ok());
  return found;
}

// Converts, translates `lines` lines greedily and with a beam of 4, and compares both with the f32 model's recording.
void check_loss(const ConvertOptions& given, const char* name, size_t lines, double most_lost) {
  Texts texts = read_texts();
  REQUIRE(texts.sources.size() == kAll);
  for (auto* list : {&texts.sources, &texts.references, &texts.greedy, &texts.beam}) list->resize(lines);
  ConvertOptions options = given;
  options.input = trained_folder();
  const test::TemporaryFolder folder;
  options.output = folder.path("out.drg");
  const auto report = converter::convert(options);
  INFO(name << ": " << report.status().message());
  REQUIRE(report.ok());
  if (report.value().loss.has_value()) {
    CHECK(report.value().loss->lines == kCalibrationLines);
    WARN(name << ": loss " << report.value().loss->loss() << ", drift " << report.value().loss->mean_log_prob_drift);
  }
  for (const uint32_t width : {1u, 4u}) {
    const double before = chrf(width == 1 ? texts.greedy : texts.beam, texts.references);
    const double after = chrf(translate(options.output, texts.sources, width), texts.references);
    WARN(name << ", beam " << width << ": chrF " << after << ", f32 " << before);
    CHECK(after >= before - most_lost);
  }
}

ConvertOptions calibrated(WeightType type, const std::string& text) {
  const Texts texts = read_texts();
  std::ofstream file(text);
  for (size_t i = 0; i < kCalibrationLines; ++i) file << texts.sources[i] << '\n';
  ConvertOptions options;
  options.weight_type = type;
  options.calibration_text = text;
  return options;
}

ConvertOptions plain(WeightType type) {
  ConvertOptions options;
  options.weight_type = type;
  return options;
}

#define SKIP_WITHOUT_MODEL() \
  if (!std::filesystem::exists(trained_folder())) SKIP("trained MarianMT: " << trained_folder() << " is not there")

TEST_CASE("chrF of the recorded translations is what sacrebleu recorded", "[families]") {
  SKIP_WITHOUT_MODEL();
  const Texts texts = read_texts();
  const json scores = test::read_recording(trained_folder() + "/reference/scores.json");
  CHECK(std::abs(chrf(texts.greedy, texts.references) - scores["greedy"]["chrF"].get<double>()) <= 0.005);
  CHECK(std::abs(chrf(texts.beam, texts.references) - scores["beam4"]["chrF"].get<double>()) <= 0.005);
}

TEST_CASE("a trained MarianMT in int8 keeps its chrF within 0.3", "[families]") {
  SKIP_WITHOUT_MODEL();
  check_loss(plain(WeightType::kInt8), "int8", kAll, 0.3);
}

TEST_CASE("a trained MarianMT in calibrated int8 keeps its chrF within 0.3", "[families]") {
  SKIP_WITHOUT_MODEL();
  const test::TemporaryFolder folder;
  check_loss(calibrated(WeightType::kInt8, folder.path("lines.txt")), "calibrated int8", kSome, 0.3);
}

TEST_CASE("a trained MarianMT in f16 keeps its chrF within 0.1", "[families]") {
  SKIP_WITHOUT_MODEL();
  check_loss(plain(WeightType::kF16), "f16", kSome, 0.1);
}

TEST_CASE("a trained MarianMT in int4 keeps its chrF within 1.0", "[families]") {
  SKIP_WITHOUT_MODEL();
  check_loss(plain(WeightType::kInt4), "int4", kAll, 1.0);
}

TEST_CASE("a trained MarianMT in calibrated int4 keeps its chrF within 1.0", "[families]") {
  SKIP_WITHOUT_MODEL();
  const test::TemporaryFolder folder;
  check_loss(calibrated(WeightType::kInt4, folder.path("lines.txt")), "calibrated int4", kAll, 1.0);
}

}  // namespace
}  // namespace dragoman
