// Weights in every type a file may hold, chosen for all or by name; what is refused; what the report says.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/file_header.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

using converter::ConvertOptions;
using converter::ConvertReport;
using converter::WeightType;

constexpr char kQkv[] = "encoder.layer1.self.qkv.weight";

// Every width divides into blocks of 32.
MarianModelOptions blocks_of_32(MarianWeights weights) {
  MarianModelOptions options;
  options.width = 64;
  options.ffn_width = 96;
  options.weights = weights;
  return options;
}

ConvertOptions typed(WeightType type, std::vector<converter::WeightRule> rules = {}) {
  ConvertOptions options;
  options.weight_type = type;
  options.weight_rules = std::move(rules);
  return options;
}

uint32_t minimum_reader(const ConvertedModel& model) {
  model::FileHeader header;
  std::memcpy(&header, model.file().data(), sizeof(header));
  return header.minimum_reader;
}

bool notes_name(const ConvertReport& report, const std::string& part) {
  for (const std::string& note : report.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

double largest(const std::vector<float>& values) {
  double result = 0;
  for (const float value : values) result = std::max(result, std::fabs(static_cast<double>(value)));
  return result;
}

// Largest difference in units of the largest value.
double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return difference / largest(b);
}

Status refusal(const TemporaryFolder& folder, ConvertOptions options, std::vector<std::string>* problems = nullptr) {
  options.input = folder.path();
  options.output = folder.path("refused.drg");
  const Result<ConvertReport> result = converter::convert(options, problems);
  REQUIRE_FALSE(result.ok());
  CHECK_FALSE(std::filesystem::exists(options.output));
  return result.status();
}

TEST_CASE("one type for all weights", "[stored_types]") {
  const TemporaryFolder folder;
  const MarianModelOptions made = blocks_of_32(MarianWeights::kFloat);
  const ConvertedModel exact = convert_made_up(folder, made, typed(WeightType::kF32));
  CHECK(minimum_reader(exact) == 1);
  struct Expected {
    WeightType type;
    ElementType stored;
    double difference;  // of a value, in units of the largest one
    uint32_t reader;
  };
  for (const Expected& expected : {Expected{WeightType::kInt8, ElementType::kI8, 0.5 / 127, 1},
                                   Expected{WeightType::kInt4, ElementType::kI4, 0.5 / 6.6 + 0.08, 2},
                                   Expected{WeightType::kF16, ElementType::kF16, 0.5 / 1024, 2}}) {
    ConvertReport report;
    const ConvertedModel model = convert_made_up(folder, made, typed(expected.type), &report);
    INFO(weight_type_name(expected.type));
    CHECK(minimum_reader(model) == expected.reader);
    CHECK(report.quantized.size() == 20);
    for (const char* name : {"embedding", kQkv, "decoder.cross_kv.weight", "decoder.layer2.ffn.linear2.weight"}) {
      INFO(name);
      CHECK(model.tensor(name).type == expected.stored);
      const double difference = relative_difference(model.values(name), exact.values(name));
      CHECK(difference <= expected.difference + 1e-6);
      CHECK(difference > 0);
    }
    CHECK(model.tensor("encoder.layer1.self.norm.scale").type == ElementType::kF32);
    CHECK((model.tensor("embedding").row_sums != nullptr) == (expected.type == WeightType::kInt8));
  }
}

TEST_CASE("a stored int8 of -128 becomes -127, and the report says so", "[stored_types]") {
  const TemporaryFolder folder;
  const MarianModelOptions made;
  ConvertReport report;
  const ConvertedModel whole = convert_made_up(folder, made, {}, &report);
  CHECK_FALSE(notes_name(report, "-128"));
  MarianModel changed = make_marian_model(made);
  for (MarianParameter& parameter : changed.parameters) {
    if (parameter.name != "encoder_l1_ffn_W2" && parameter.name != "Wemb") continue;
    for (const size_t at : {0u, 1u}) parameter.values[at] = -128 / parameter.multiplier;
  }
  write_bytes(folder.path("model.abcd.bin"), marian_container(marian_items(changed)));
  ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("changed.drg");
  const Result<ConvertReport> result = converter::convert(options);
  INFO(result.status().message());
  REQUIRE(result.ok());
  // Elements 0 and 1 of the stored matrix: of one row of the table, of two outputs of the layer.
  for (const auto& [name, second] :
       {std::pair("embedding", size_t{1}), std::pair("encoder.layer1.ffn.linear2.weight", size_t{made.ffn_width})}) {
    INFO(name);
    const ConvertedModel model(options.output);  // compares row sums
    const TensorView found = model.tensor(name), before = whole.tensor(name);
    for (size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found.i8()[i] == (i == 0 || i == second ? -127 : before.i8()[i]));
    }
    CHECK(notes_name(result.value(), "'" + std::string(name) + "': 2 elements of -128"));
  }
}

TEST_CASE("a type for each name, the last pattern counts", "[stored_types]") {
  const TemporaryFolder folder;
  ConvertReport report;
  const ConvertedModel model = convert_made_up(folder, blocks_of_32(MarianWeights::kFloat),
                                               typed(WeightType::kInt8, {{"decoder.*", WeightType::kInt4},
                                                                         {"*.cross_kv.*", WeightType::kF16},
                                                                         {"*ffn.linear2*", WeightType::kF32},
                                                                         {"embedding", WeightType::kSource}}),
                                               &report);
  CHECK(model.tensor(kQkv).type == ElementType::kI8);
  CHECK(model.tensor("decoder.layer1.rnn.weight").type == ElementType::kI4);
  CHECK(model.tensor("decoder.cross_kv.weight").type == ElementType::kF16);
  CHECK(model.tensor("decoder.layer1.ffn.linear2.weight").type == ElementType::kF32);
  CHECK(model.tensor("encoder.layer1.ffn.linear2.weight").type == ElementType::kF32);
  CHECK(model.tensor("embedding").type == ElementType::kF32);
  CHECK(minimum_reader(model) == 2);
  const std::string options = model.description().provenance->options;
  CHECK(options.find("weights=int8 decoder.*=int4 *.cross_kv.*=f16") == 0);
}

TEST_CASE("patterns that name no weight are refused by name, before anything is written", "[stored_types]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), blocks_of_32(MarianWeights::kFloat));
  std::vector<std::string> problems;
  const Status status = refusal(
      folder, typed(WeightType::kInt8, {{"decoder.layer7.*", WeightType::kInt4}, {"*.norm.scale", WeightType::kF16}}),
      &problems);
  CHECK(status.code() == Code::kUnsupported);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].find("'decoder.layer7.*' fits no tensor's name") != std::string::npos);
  CHECK(problems[1].find(".norm.scale', which is no weight matrix") != std::string::npos);
}

TEST_CASE("columns that do not divide into blocks stay int8, and the report says so", "[stored_types]") {
  const TemporaryFolder folder;
  MarianModelOptions made = blocks_of_32(MarianWeights::kFloat);
  made.ffn_width = 40;
  ConvertReport report;
  const ConvertedModel model = convert_made_up(folder, made, typed(WeightType::kInt4), &report);
  CHECK(model.tensor("encoder.layer1.ffn.linear2.weight").type == ElementType::kI8);
  CHECK(model.tensor("encoder.layer1.ffn.linear1.weight").type == ElementType::kI4);
  CHECK(notes_name(report, "'encoder.layer1.ffn.linear2.weight' is int8: its 40 columns do not divide"));
  CHECK_FALSE(notes_name(report, "linear1"));
}

TEST_CASE("weights that are int8 already: kept, made floats, made int4", "[stored_types]") {
  const TemporaryFolder folder;
  const MarianModelOptions made = blocks_of_32(MarianWeights::kInt8);
  ConvertReport report;
  const ConvertedModel kept = convert_made_up(folder, made, typed(WeightType::kInt8), &report);
  CHECK(report.quantized.empty());
  CHECK(report.num_kept_int8 == 20);
  const ConvertedModel source = convert_made_up(folder, made, typed(WeightType::kSource));
  CHECK(source.tensor(kQkv).type == ElementType::kI8);
  const ConvertedModel floats = convert_made_up(folder, made, typed(WeightType::kF32), &report);
  CHECK(floats.tensor(kQkv).type == ElementType::kF32);
  for (const char* name : {"embedding", kQkv})
    CHECK(relative_difference(kept.values(name), floats.values(name)) < 1e-7);
  CHECK(floats.values("embedding") == make_marian_model(made).find("Wemb").values);
  const ConvertedModel blocks = convert_made_up(folder, made, typed(WeightType::kInt4), &report);
  CHECK(blocks.tensor(kQkv).type == ElementType::kI4);
  CHECK(notes_name(report, "'embedding' was int8 already"));
}

TEST_CASE("the report shows the worst weights, or all, and the same as JSON", "[stored_types]") {
  const TemporaryFolder folder;
  ConvertReport report;
  convert_made_up(folder, blocks_of_32(MarianWeights::kFloat), typed(WeightType::kInt4, {{kQkv, WeightType::kF16}}),
                  &report);
  const auto lines = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("signal to noise"); at != std::string::npos; at = text.find("signal to noise", at + 1)) {
      ++count;
    }
    return count;
  };
  CHECK(lines(report.text()) == 5);
  CHECK(lines(report.text(true)) == 20);
  CHECK(report.text().find("f16 ") == std::string::npos);  // not among the worst
  const nlohmann::json root = nlohmann::json::parse(report.json());
  REQUIRE(root["weights"].size() == 20);
  size_t halves = 0;
  for (const auto& weight : root["weights"]) {
    const bool half = weight["name"] == kQkv;
    halves += weight["type"] == "f16" ? 1 : 0;
    CHECK(weight["signal_to_noise_db"].get<double>() > (half ? 65 : 15));
    CHECK(weight["signal_to_noise_db"].get<double>() < (half ? 80 : 30));
  }
  CHECK(halves == 1);
  CHECK_FALSE(root.contains("loss"));
}

TEST_CASE("calibration options are checked before anything is read", "[stored_types]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), blocks_of_32(MarianWeights::kFloat));
  ConvertOptions options;
  options.max_loss = 3;
  CHECK(refusal(folder, options).code() == Code::kInvalidArgument);
  options.calibration_text = folder.path("no.such.text");
  CHECK(std::string(refusal(folder, options).message()).find("no.such.text") != std::string::npos);
  options.max_loss = 101;
  CHECK(std::string(refusal(folder, options).message()).find("0 to 100") != std::string::npos);
}

// A text in the made-up pieces, and an empty one.
TEST_CASE("calibration: scales follow the inputs, the loss is measured, too much of it is refused", "[stored_types]") {
  const TemporaryFolder folder;
  const MarianModelOptions made = blocks_of_32(MarianWeights::kFloat);
  write_marian_folder(folder.path(), made);
  std::string text = "\n";
  for (const char* word : {"a b c d", "ba da", "e f", "d c b a", "abc abd", "f"}) text += std::string(word) + "\r\n";
  write_bytes(folder.path("sample.txt"), std::as_bytes(std::span(text)));
  ConvertOptions options = typed(WeightType::kInt4);
  options.calibration_text = folder.path("sample.txt");
  ConvertReport report, plain;
  const ConvertedModel calibrated = convert_made_up(folder, made, options, &report);
  REQUIRE(report.loss.has_value());
  CHECK(report.loss->lines == 6);
  CHECK(report.loss->tokens > 6);
  CHECK(report.loss->chrf > 0);
  CHECK(report.loss->loss() > 0);
  CHECK(report.loss->mean_log_prob_drift > 0);
  CHECK(report.loss->max_log_prob_drift >= report.loss->mean_log_prob_drift);
  CHECK(report.text().find("drift") != std::string::npos);
  const auto& files = calibrated.description().provenance->source_files;
  CHECK(std::find(files.begin(), files.end(), "sample.txt") != files.end());
  // The calibrated scales are better for the outputs and no better for the weights alone.
  const ConvertedModel uncalibrated = convert_made_up(folder, made, typed(WeightType::kInt4), &plain);
  REQUIRE(report.quantized.size() == plain.quantized.size());
  size_t different = 0;
  for (size_t i = 0; i < plain.quantized.size(); ++i) {
    INFO(plain.quantized[i].name);
    REQUIRE(report.quantized[i].output_signal_to_noise_db.has_value());
    CHECK(report.quantized[i].signal_to_noise_db <= plain.quantized[i].signal_to_noise_db + 1e-3);
    different += report.quantized[i].signal_to_noise_db != plain.quantized[i].signal_to_noise_db ? 1 : 0;
  }
  CHECK(different == plain.quantized.size());
  options.max_loss = report.loss->loss() / 2;
  CHECK(refusal(folder, options).code() == Code::kNumerical);
  options.max_loss = report.loss->loss();
  convert_made_up(folder, made, options);
}

TEST_CASE("a text without a sentence calibrates nothing", "[stored_types]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), blocks_of_32(MarianWeights::kFloat));
  write_bytes(folder.path("blank.txt"), std::as_bytes(std::span("\n\n", 2)));
  ConvertOptions options;
  options.calibration_text = folder.path("blank.txt");
  CHECK(std::string(refusal(folder, options).message()).find("no sentence") != std::string::npos);
}

}  // namespace
}  // namespace dragoman::test
