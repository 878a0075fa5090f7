// What the decoder attends to, of every family: as recorded with the framework, and the same for what a beam found.
// Neighbours: tests/data/families/record_attention.py made the recording.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/parity/families/recording.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::Ids;
using test::kTolerance;

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
  const std::string folder = std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family;
  const json recorded = test::read_recording(folder + "/reference.json");
  const json expected = test::read_recording(folder + "/attention.json");
  FamilyModel model(test::float_options(folder), ops::Compute::kF32);
  const std::vector<Ids> sources = test::recorded_sources(recorded);
  for (size_t i = 0; i < sources.size(); ++i) {
    const Ids target = test::recorded_target(recorded, i);
    CHECK(largest_difference(model.forced_attention(sources[i], target, {-1, -1}), expected["last_layer"][i]) <=
          kTolerance);
    CHECK(largest_difference(model.forced_attention(sources[i], target, {0, 0}), expected["first_layer_head_0"][i]) <=
          kTolerance);
  }
  // A beam's hypotheses change places; each one's attention still is that of its own ids, to the last bit.
  for (const uint32_t beam : {1u, 4u}) {
    const std::vector<test::Translation> found = model.translate(sources, beam, test::kNewTokens, false);
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
