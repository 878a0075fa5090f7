// What the decoder attends to, of every family: as recorded with the framework, and the same for what a beam found.
// Neighbours: tests/data/families/record_attention.py made the recording.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/parity/families/family_model.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::Ids;

constexpr double kTolerance = 1e-4;

json read(const std::string& family, const std::string& name) {
  std::ifstream file(std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family + "/" + name);
  REQUIRE(file.good());
  return json::parse(file);
}

Ids source_of(const json& recorded, size_t sentence) {
  Ids ids;
  for (size_t t = 0; t < recorded["input_ids"][sentence].size(); ++t) {
    if (recorded["attention_mask"][sentence][t] == 1) ids.push_back(recorded["input_ids"][sentence][t]);
  }
  return ids;
}

// Padding in front of which M2M100 counts positions otherwise never comes to a decoder.
Ids target_of(const json& recorded, size_t sentence) {
  Ids ids = recorded["decoder_input_ids"][sentence].get<Ids>();
  while (recorded["family"] == "m2m100" && ids.back() == 1) ids.pop_back();
  return ids;
}

double largest_difference(const std::vector<float>& computed, const json& rows) {
  double largest = 0;
  size_t at = 0;
  for (const json& row : rows) {
    for (const json& value : row) {
      if (at == computed.size()) return largest;
      largest = std::max(largest, std::fabs(static_cast<double>(computed[at++]) - value.get<double>()));
    }
  }
  REQUIRE(at == computed.size());
  return largest;
}

void check_family(const std::string& family) {
  INFO(family);
  const json recorded = read(family, "reference.json"), expected = read(family, "attention.json");
  converter::ConvertOptions options;
  options.input = std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family;
  options.weight_type = converter::WeightType::kF32;
  FamilyModel model(options, ops::Compute::kF32);
  std::vector<Ids> sources;
  for (size_t i = 0; i < recorded["input_ids"].size(); ++i) {
    sources.push_back(source_of(recorded, i));
    const Ids target = target_of(recorded, i);
    CHECK(largest_difference(model.forced_attention(sources[i], target, {-1, -1}), expected["last_layer"][i]) <=
          kTolerance);
    CHECK(largest_difference(model.forced_attention(sources[i], target, {0, 0}), expected["first_layer_head_0"][i]) <=
          kTolerance);
  }
  // A beam's hypotheses change places; each one's attention still is that of its own ids, to the last bit.
  for (const uint32_t beam : {1u, 4u}) {
    const std::vector<test::Translation> found = model.translate(sources, beam, 20, false);
    for (size_t i = 0; i < found.size(); ++i) {
      Ids fed = {model.view().generation().start_id};
      fed.insert(fed.end(), found[i].ids.begin(), found[i].ids.end() - 1);
      INFO("sentence " << i << ", beam " << beam);
      CHECK(found[i].attention == model.forced_attention(sources[i], fed, {-1, -1}));
    }
  }
}

TEST_CASE("attention agrees with the recording of every family, and follows a beam", "[families]") {
  for (const char* family : {"marian", "bart", "m2m100", "t5", "t5-v1_1", "mt5"}) check_family(family);
}

}  // namespace
}  // namespace dragoman
