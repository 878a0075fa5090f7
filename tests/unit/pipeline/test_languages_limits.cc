// Tokens of languages in the limits of a session, and in the score of a given translation.
// Neighbours: test_languages.cc has where they stand.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "tests/support/translation.h"
#include "tests/unit/pipeline/multilingual_model.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::joined;
using test::KeptCall;
using test::MultilingualModel;

TEST_CASE("tokens around a text count in the limits") {
  const MultilingualModel model("nllb", {}, 12);
  std::string text;
  for (int i = 0; i < 12; ++i) text += "The boats come home, ";
  const KeptCall kept = model.translate({text}, {"en", "fr"});
  INFO(kept.message);
  REQUIRE(kept.code == DRAGOMAN_OK);
  REQUIRE(kept.sources.size() > 5);
  for (size_t i = 0; i < kept.sources.size(); ++i) {
    CHECK(kept.sources[i].size() <= 12);
    CHECK(kept.sources[i].front() == model.token("eng_Latn"));
    CHECK(kept.sources[i].back() == 2);
    CHECK((kept.flags[i] & DRAGOMAN_CUT) != 0);
  }
  const MultilingualModel narrow("nllb", {}, 2);
  const KeptCall refused = narrow.translate({"The sun."}, {"en", "fr"});
  CHECK(refused.code == DRAGOMAN_INVALID_ARGUMENT);
  CHECK_THAT(refused.message, ContainsSubstring("max_source_tokens"));
}

TEST_CASE("scoring follows the languages, and what is forced costs nothing") {
  const MultilingualModel model("nllb");
  const KeptCall kept = model.score("The sun.", "Le pain.", {"en", "fr"});
  INFO(kept.message);
  REQUIRE(kept.code == DRAGOMAN_OK);
  CHECK(kept.sources.at(0).front() == model.token("eng_Latn"));
  CHECK(kept.ids.at(0) == joined({model.token("fra_Latn")}, model.tokenize("Le pain."), {2}));
  CHECK(kept.log_probs.at(0).at(0) == 0);
  CHECK(kept.log_probs.at(0).at(1) < 0);
  const KeptCall other = model.score("The sun.", "Le pain.", {"en", "de"});
  CHECK(other.ids.at(0).front() == model.token("deu_Latn"));
  CHECK(other.log_probs.at(0).at(1) != kept.log_probs.at(0).at(1));
}

TEST_CASE("a translation that has no room to be scored names the limit of translations") {
  const test::OpenModel model(test::tiny_model());
  dragoman_session_options options = test::batch_options(1);
  options.full_logits = true;
  options.max_target_tokens = 1;
  const auto session = model.session(options);
  const dragoman_text text = {"a b", 3};
  const dragoman_sink sink = {nullptr, [](void*, const dragoman_segment*) { return true; }, nullptr};
  dragoman_error error = {};
  CHECK(dragoman_score(session.get(), &text, &text, 1, nullptr, &sink, &error) == DRAGOMAN_INVALID_ARGUMENT);
  CHECK_THAT(error.message, ContainsSubstring("max_target_tokens: 1 leave no room"));
}

}  // namespace
}  // namespace dragoman
