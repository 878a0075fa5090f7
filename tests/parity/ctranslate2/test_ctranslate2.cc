// CTranslate2 folders: log-probabilities of given tokens, greedy and beam output equal to CTranslate2's own, for every
// family and for every type that weights are stored in.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/parity/families/recording.h"
#include "tests/support/make_marian_model.h"
#include "tests/support/temporary_folder.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::float_options;
using test::Ids;

namespace fs = std::filesystem;

constexpr uint32_t kMaxLength = 12;  // as recorded

const std::string kFolder = DRAGOMAN_CTRANSLATE2_DIR;

const json& expected() {
  static const json recorded = test::read_recording(kFolder + "/expected.json");
  return recorded;
}

std::vector<double> log_probabilities(FamilyModel& model, const json& entry) {
  const Ids target = entry["target"];
  Ids fed = {model.view().generation().start_id};
  fed.insert(fed.end(), target.begin(), target.end() - 1);
  const std::vector<float> logits = model.forced_logits(entry["source"], fed);
  const size_t vocabulary = logits.size() / fed.size();
  std::vector<double> result;
  for (size_t t = 0; t < target.size(); ++t) {
    const float* row = logits.data() + t * vocabulary;
    const double largest = *std::max_element(row, row + vocabulary);
    double sum = 0;
    for (size_t i = 0; i < vocabulary; ++i) sum += std::exp(row[i] - largest);
    result.push_back(row[target[t]] - largest - std::log(sum));
  }
  return result;
}

void check_folder(const std::string& name) {
  INFO(name);
  FamilyModel model(float_options(kFolder + "/" + name), ops::Compute::kF32);
  REQUIRE(expected().contains(name));
  REQUIRE(!expected()[name].empty());
  for (const json& entry : expected()[name]) {
    const std::vector<double> found = log_probabilities(model, entry);
    const auto wanted = entry["log_probabilities"].get<std::vector<double>>();
    REQUIRE(found.size() == wanted.size());
    const double largest = std::fabs(*std::min_element(wanted.begin(), wanted.end()));
    for (size_t t = 0; t < found.size(); ++t) CHECK(std::fabs(found[t] - wanted[t]) <= test::kTolerance * largest);
    for (const uint32_t beam : {1u, 4u}) {
      INFO("beam " << beam);
      const auto translation = model.translate({entry["source"].get<Ids>()}, beam, kMaxLength, false)[0];
      CHECK(translation.ids == entry[beam == 1 ? "greedy" : "beam"].get<Ids>());
      if (beam > 1)
        CHECK(std::fabs(translation.rank_score - entry["beam_score"].get<double>()) <= test::kScoreTolerance);
    }
  }
}

TEST_CASE("CTranslate2: MarianMT in every weight type", "[ctranslate2]") {
  for (const char* kind :
       {"float32", "float16", "bfloat16", "int16", "int8", "int8_float32", "int8_float16", "int8_bfloat16"}) {
    check_folder(std::string("marian-") + kind);
  }
}

TEST_CASE("CTranslate2: BART, with a factor of 1 on its embeddings", "[ctranslate2]") {
  check_folder("bart-float32");
  check_folder("bart-int8");
}

TEST_CASE("CTranslate2: M2M100", "[ctranslate2]") {
  check_folder("m2m100-float32");
  check_folder("m2m100-int8");
}

TEST_CASE("CTranslate2: OpenNMT, two vocabularies and positions that are not stored", "[ctranslate2]") {
  check_folder("opennmt-float32");
  check_folder("opennmt-int8");
}

TEST_CASE("CTranslate2: T5, gated and not, with aliases of its tables", "[ctranslate2]") {
  for (const char* name : {"t5-float32", "t5-int8", "t5-gated-float32", "t5-gated-int8"}) check_folder(name);
}

TEST_CASE("CTranslate2: integers are kept as they are stored", "[ctranslate2]") {
  size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name.find("-int8") == std::string::npos) continue;
    INFO(name);
    ++folders;
    converter::ConvertOptions options = float_options(entry.path().string());
    options.weight_type = converter::WeightType::kInt8;
    const FamilyModel model(options, ops::Compute::kInt8);
    CHECK(model.report().quantized.empty());
    CHECK(model.report().num_kept_int8 >= 8);
  }
  CHECK(folders >= 9);
}

// A copy of a folder in which single files are replaced.
void copy_folder(const std::string& from, const std::string& to) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) fs::copy(entry.path(), fs::path(to) / entry.path().filename());
}

TEST_CASE("CTranslate2: vocabularies as lists of lines, and the settings of config.json", "[ctranslate2]") {
  const test::TemporaryFolder folder;
  copy_folder(kFolder + "/opennmt-int8", folder.path("lines"));
  for (const char* side : {"source", "target"}) {
    const std::string path = folder.path(std::string("lines/") + side + "_vocabulary");
    std::ofstream lines(path + ".txt");
    for (const std::string token : json::parse(std::ifstream(path + ".json"))) lines << token << "\n";
    fs::remove(path + ".json");
  }
  json config = json::parse(std::ifstream(folder.path("lines/config.json")));
  config["decoder_start_token"] = "</s>";
  config["add_source_eos"] = false;
  std::ofstream(folder.path("lines/config.json")) << config.dump();
  const FamilyModel model(float_options(folder.path("lines")), ops::Compute::kF32);
  CHECK(model.view().generation().start_id == 2);
  CHECK_FALSE(model.view().generation().append_end);
  const FamilyModel original(float_options(kFolder + "/opennmt-int8"), ops::Compute::kF32);
  CHECK(original.view().generation().start_id == 0);
  CHECK(original.view().generation().append_end);
}

TEST_CASE("CTranslate2: every key of config.json is followed, noted or refused", "[ctranslate2]") {
  const test::TemporaryFolder folder;
  copy_folder(kFolder + "/opennmt-int8", folder.path("model"));
  const json original = json::parse(std::ifstream(folder.path("model/config.json")));
  const auto convert_with = [&](const json& changes) {
    json config = original;
    config.update(changes);
    std::ofstream(folder.path("model/config.json")) << config.dump();
    converter::ConvertOptions options = float_options(folder.path("model"));
    options.output = folder.path("out.drg");
    return converter::convert(options);
  };
  for (const auto& [changes, word] : std::vector<std::pair<json, std::string>>{
           {{{"add_source_bos", "yes"}}, "'add_source_bos' = 'yes'"},
           {{{"add_source_bos", true}, {"bos_token", "<none>"}}, "bos_token '<none>'"},
           {{{"decoder_start_token", "<none>"}}, "decoder_start_token is '<none>'"},
           {{{"decoder_start_token", nullptr}}, "decoder_start_token is null"},
           {{{"eos_token", "<none>"}}, "'<none>'"},
           {{{"unk_token", "<none>"}}, "'<none>'"},
           {{{"multi_query_attention", true}}, "'multi_query_attention' = 'true'"},
           {{{"quantization_type", 1}}, "'quantization_type' = '1'"},
           {{{"layer_norm_epsilon", -1}}, "'layer_norm_epsilon' = '-1'"},
           {{{"brand_new", 3}}, "'brand_new' = '3': not known"}}) {
    const auto report = convert_with(changes);
    INFO(changes.dump());
    REQUIRE(!report.ok());
    CHECK(std::string(report.status().message()).find(word) != std::string::npos);
  }
  const auto report = convert_with({{"brand_new", false}});
  REQUIRE(report.ok());
  const auto& notes = report.value().notes;
  CHECK(std::any_of(notes.begin(), notes.end(),
                    [](const std::string& note) { return note.find("'brand_new' = 'false'") != std::string::npos; }));
  // Both tokens around a text: the layout of a model of one pair.
  std::ofstream(folder.path("model/config.json")) << [&] {
    json config = original;
    config.update({{"add_source_bos", true}, {"add_source_eos", true}});
    return config.dump();
  }();
  const FamilyModel model(float_options(folder.path("model")), ops::Compute::kF32);
  const auto layout = model.view().language_layout();
  CHECK(std::vector<int32_t>(layout.source_prefix.begin(), layout.source_prefix.end()) == std::vector<int32_t>{0});
  CHECK(std::vector<int32_t>(layout.source_suffix.begin(), layout.source_suffix.end()) == std::vector<int32_t>{2});
}

TEST_CASE("CTranslate2: end tokens of both sides have to agree where sources end in one", "[ctranslate2]") {
  const test::TemporaryFolder folder;
  copy_folder(kFolder + "/opennmt-int8", folder.path("model"));
  const std::string path = folder.path("model/source_vocabulary.json");
  json tokens = json::parse(std::ifstream(path));
  std::swap(tokens[2], tokens[5]);
  std::ofstream(path) << tokens.dump();
  converter::ConvertOptions options = float_options(folder.path("model"));
  options.output = folder.path("out.drg");
  const auto report = converter::convert(options);
  REQUIRE(!report.ok());
  CHECK(std::string(report.status().message()).find("'</s>' is 5 among the source tokens, but 2") != std::string::npos);
}

TEST_CASE("CTranslate2: what is not understood is named", "[ctranslate2]") {
  const test::TemporaryFolder folder;
  const auto refusal = [&folder](const std::string& name) {
    converter::ConvertOptions options = float_options(folder.path(name));
    options.output = folder.path("out.drg");
    const auto report = converter::convert(options);
    REQUIRE(!report.ok());
    return std::string(report.status().message());
  };
  // A variable under another name of the same length.
  copy_folder(kFolder + "/marian-float32", folder.path("renamed"));
  std::vector<std::byte> model = test::read_bytes(folder.path("renamed/model.bin"));
  const std::string name = "encoder/layer_0/ffn/linear_0/bias";
  const auto bytes = std::as_bytes(std::span(name));
  const auto at = std::search(model.begin(), model.end(), bytes.begin(), bytes.end());
  REQUIRE(at != model.end());
  *(at + static_cast<ptrdiff_t>(name.size()) - 1) = std::byte{'z'};
  test::write_bytes(folder.path("renamed/model.bin"), model);
  CHECK(refusal("renamed").find("'encoder/layer_0/ffn/linear_0/biaz' [24] is not known") != std::string::npos);
  // A newer file, and one without vocabulary.
  copy_folder(kFolder + "/marian-float32", folder.path("newer"));
  model = test::read_bytes(folder.path("newer/model.bin"));
  model[0] = std::byte{7};
  test::write_bytes(folder.path("newer/model.bin"), model);
  CHECK(refusal("newer").find("binary version 7, expected 4 to 6") != std::string::npos);
  copy_folder(kFolder + "/marian-float32", folder.path("bare"));
  fs::remove(folder.path("bare/shared_vocabulary.json"));
  CHECK(refusal("bare").find("shared_vocabulary") != std::string::npos);
}

}  // namespace
}  // namespace dragoman
