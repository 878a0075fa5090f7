// Tokens of languages in the limits of a session, and in the score of a given translation.
// Neighbours: test_languages.cc has where they stand.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <memory>
#include <string>
#include <vector>

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

// Translates "The sun." into French with a session of its own. A limit of 0 is the model's.
KeptCall translate_within(const MultilingualModel& model, uint32_t max_target_tokens,
                          const dragoman_translate_options& options) {
  dragoman_session_options limits = dragoman_default_session_options();
  limits.max_target_tokens = max_target_tokens;
  limits.max_beam = 4;
  dragoman_error error = {};
  dragoman_session* created = nullptr;
  REQUIRE(dragoman_session_create(model.get(), &limits, nullptr, 0, &created, &error) == DRAGOMAN_OK);
  const test::SessionHandle session(created);
  const dragoman_text text = {"The sun.", 8};
  KeptCall kept;
  const dragoman_sink sink = test::sink_of(&kept);
  kept.code = dragoman_translate(session.get(), &text, 1, &options, &sink, &error);
  kept.message = error.message;
  return kept;
}

TEST_CASE("a forced token counts in the limits of a translation, which are never exceeded") {
  const MultilingualModel model("nllb");
  dragoman_translate_options options = test::options_for({"en", "fr"});
  for (const uint32_t beam : {1u, 4u}) {
    CAPTURE(beam);
    options.beam = beam;
    options.max_length = 0;
    const KeptCall no_room = translate_within(model, 1, options);
    CHECK(no_room.code == DRAGOMAN_INVALID_ARGUMENT);
    CHECK_THAT(no_room.message, ContainsSubstring("max_target_tokens: found 1, expected at least 2"));
    const KeptCall room = translate_within(model, 2, options);
    REQUIRE(room.code == DRAGOMAN_OK);
    CHECK(room.ids.at(0).size() == 2);
    CHECK(room.ids.at(0).front() == model.token("fra_Latn"));
    for (const uint32_t max_target_tokens : {1u, 24u}) {
      options.max_length = 1;
      const KeptCall refused = translate_within(model, max_target_tokens, options);
      CHECK(refused.code == DRAGOMAN_INVALID_ARGUMENT);
      CHECK_THAT(refused.message, ContainsSubstring("max_length: found 1, expected at least 2"));
    }
    options.max_length = 2;
    CHECK(translate_within(model, 24, options).ids == room.ids);
  }
}

TEST_CASE("a limit of one token is kept where no token is forced") {
  const MultilingualModel model("nllb");
  dragoman_translate_options options = test::options_for({"en", "fr"});
  const int32_t none = 0;
  options.forced_ids = &none;  // of length 0
  options.max_length = 1;
  for (const uint32_t max_target_tokens : {1u, 24u}) {
    const KeptCall kept = translate_within(model, max_target_tokens, options);
    REQUIRE(kept.code == DRAGOMAN_OK);
    CHECK(kept.ids.at(0).size() == 1);
    CHECK(kept.ids.at(0).front() != model.token("fra_Latn"));
  }
}

TEST_CASE("what the model's own limits leave no room for gets it") {
  test::ModelBuilder builder = test::tiny_model_builder();
  builder.model.target_languages.at(0)->token = 5;
  builder.model.language_layout = std::make_unique<schema::LanguageLayoutT>();
  builder.model.language_layout->forced_ids = {7, -2};
  builder.model.generation->max_length = 1;
  const test::OpenModel model(builder.finish());
  const auto session = model.session(test::batch_options(1));
  const test::KeptInput kept = test::translate_one(session.get(), "a b");
  REQUIRE(kept.segments.size() == 1);
  const std::vector<int32_t>& ids = kept.segments[0].ids;
  REQUIRE(ids.size() == 3);
  CHECK(ids[0] == 7);
  CHECK(ids[1] == 5);
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
