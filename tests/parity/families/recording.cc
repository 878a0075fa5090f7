#include "tests/parity/families/recording.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>

namespace dragoman::test {

using nlohmann::json;

json read_recording(const std::string& path) {
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file.good());
  return json::parse(file);
}

converter::ConvertOptions float_options(const std::string& folder) {
  converter::ConvertOptions options;
  options.input = folder;
  options.weight_type = converter::WeightType::kF32;
  return options;
}

std::vector<Ids> recorded_sources(const json& recorded) {
  std::vector<Ids> sources;
  REQUIRE(!recorded["input_ids"].empty());
  for (size_t i = 0; i < recorded["input_ids"].size(); ++i) {
    Ids ids;
    for (size_t t = 0; t < recorded["input_ids"][i].size(); ++t) {
      if (recorded["attention_mask"][i][t] == 1) ids.push_back(recorded["input_ids"][i][t]);
    }
    sources.push_back(std::move(ids));
  }
  return sources;
}

Ids recorded_target(const json& recorded, size_t sentence) {
  Ids ids = recorded["decoder_input_ids"][sentence].get<Ids>();
  while (recorded["family"] == "m2m100" && ids.back() == 1) ids.pop_back();
  return ids;
}

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

void check_rows(std::span<const float> computed, size_t width, const json& rows, const json& recorded) {
  const auto expected = recorded.get<std::vector<float>>();
  REQUIRE(!rows.empty());
  const size_t columns = expected.size() / rows.size();
  REQUIRE(columns <= width);
  REQUIRE(columns * rows.size() == expected.size());
  std::vector<float> chosen;
  for (const json& row : rows) {
    const auto values = computed.subspan(row.get<size_t>() * width, columns);
    chosen.insert(chosen.end(), values.begin(), values.end());
  }
  CHECK(distance(chosen, expected) <= kTolerance);
}

}  // namespace dragoman::test
