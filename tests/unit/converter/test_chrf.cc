// chrF against recorded scores of sacrebleu (tests/data/chrf/make_chrf.py).
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "converter/chrf.h"

namespace dragoman::converter {
namespace {

TEST_CASE("chrF is what sacrebleu computes", "[chrf]") {
  const auto recorded = nlohmann::json::parse(std::ifstream(DRAGOMAN_DATA_DIR "/chrf/chrf.json"));
  REQUIRE(recorded["cases"].size() == 9);
  for (const auto& item : recorded["cases"]) {
    Chrf chrf;
    for (size_t i = 0; i < item["hypotheses"].size(); ++i) {
      chrf.add(item["hypotheses"][i].get<std::string>(), item["references"][i].get<std::string>());
    }
    CHECK_THAT(chrf.score(), Catch::Matchers::WithinAbs(item["score"].get<double>(), 1e-6));
  }
}

TEST_CASE("chrF of damaged UTF-8 is a number", "[chrf]") {
  Chrf chrf;
  chrf.add("\xF0\x9F", "\xC3");
  chrf.add("\x80\xFF", "a\xE2\x82");
  CHECK(chrf.score() >= 0);
  CHECK(chrf.score() < 100);
}

}  // namespace
}  // namespace dragoman::converter
