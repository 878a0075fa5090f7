// Languages through the C interface: which texts, names and pairs are taken, where tokens stand, what is refused.
// Neighbours: test_languages_limits.cc has their tokens in limits and scores.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/allocation_counter.h"
#include "tests/support/hugging_face_folder.h"
#include "tests/support/translation.h"
#include "tests/unit/pipeline/multilingual_model.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::Ids;
using test::joined;
using test::KeptCall;
using test::Languages;
using test::MultilingualModel;

TEST_CASE("TK-10: a target at the beginning of the text") {
  const MultilingualModel model("opus");
  const Ids expected = joined({model.token("fra")}, model.tokenize("The boats"), {0});
  for (const char* text : {">>fra<< The boats", ">>fra<<The boats", "  >>fra<<  The boats"}) {
    CAPTURE(text);
    const KeptCall kept = model.translate({text}, {});
    INFO(kept.message);
    REQUIRE(kept.code == DRAGOMAN_OK);
    CHECK(kept.sources == std::vector<Ids>{expected});
    CHECK(kept.target_language == "fr");
    CHECK(kept.gaps == std::vector<std::string>{""});
  }
  CHECK(model.translate({"The boats"}, {nullptr, "fr"}).sources == std::vector<Ids>{expected});
  // Not at the beginning, or with a target named by the call: text like any other.
  const KeptCall inside = model.translate({"The >>fra<< boats"}, {nullptr, "por"});
  CHECK(inside.sources == std::vector<Ids>{joined({model.token("por")}, model.tokenize("The >>fra<< boats"), {0})});
  const KeptCall named = model.translate({">>fra<< The boats"}, {nullptr, "por"});
  CHECK(named.sources == std::vector<Ids>{joined({model.token("por")}, model.tokenize(">>fra<< The boats"), {0})});
  // Unknown or missing.
  const KeptCall unknown = model.translate({">>zzz<< The boats"}, {});
  CHECK(unknown.code == DRAGOMAN_NOT_FOUND);
  CHECK_THAT(unknown.message,
             ContainsSubstring("input 0: target language 'zzz'") && ContainsSubstring("fra por pt_br"));
  for (const char* text : {"The boats", "Hello >>fra<< x", ">>fra The boats", ">><< The boats"}) {
    CAPTURE(text);
    const KeptCall missing = model.translate({text}, {});
    CHECK(missing.code == DRAGOMAN_INVALID_ARGUMENT);
    CHECK_THAT(missing.message, ContainsSubstring("input 0: missing target language") && ContainsSubstring(">>fra<<"));
  }
}

TEST_CASE("TK-10: every text has a target of its own, for all of its sentences") {
  const MultilingualModel model("opus");
  const KeptCall kept = model.translate({">>fra<< The boats. The sun.", "", ">>deu<< The boats."}, {});
  INFO(kept.message);
  REQUIRE(kept.code == DRAGOMAN_OK);
  REQUIRE(kept.sources.size() == 3);
  CHECK(kept.sources[0].front() == model.token("fra"));
  CHECK(kept.sources[1].front() == model.token("fra"));
  CHECK(kept.sources[2].front() == model.token("deu"));
  CHECK(model.translate({">>fra<<"}, {}).sources.empty());
}

TEST_CASE("TK-12: NLLB's source language stands first, with legacy_behaviour last") {
  const MultilingualModel model("nllb");
  const Ids text = model.tokenize("The boats come home.");
  const KeptCall kept = model.translate({"The boats come home."}, {"eng_Latn", "fra_Latn"});
  REQUIRE(kept.code == DRAGOMAN_OK);
  CHECK(kept.sources == std::vector<Ids>{joined({model.token("eng_Latn")}, text, {2})});
  CHECK(kept.ids.at(0).front() == model.token("fra_Latn"));
  CHECK(kept.source_language == "en");
  CHECK(kept.target_language == "fr");
  CHECK(std::any_of(model.notes().begin(), model.notes().end(),
                    [](const std::string& note) { return note.starts_with("NLLB: source language, text, </s>"); }));
  const MultilingualModel legacy("nllb-legacy");
  const KeptCall old = legacy.translate({"The boats come home."}, {"eng_Latn", "fra_Latn"});
  CHECK(old.sources == std::vector<Ids>{joined({}, text, {2, legacy.token("eng_Latn")})});
  CHECK(old.ids.at(0).front() == legacy.token("fra_Latn"));
}

TEST_CASE("TK-17: tokens written in a text are text") {
  const std::string text = "Press </s> to stop <pad> now <unk> __en__ eng_Latn en_XX <2de> >>fra<<";
  const std::map<std::string, Languages> models = {{"nllb", {"eng_Latn", "fra_Latn"}}, {"m2m100", {"en", "fr"}},
                                                   {"small100", {"en", "fr"}},         {"mbart", {"en_XX", "fr_XX"}},
                                                   {"mbart50", {"en_XX", "fr_XX"}},    {"opus", {"en", "fra"}},
                                                   {"madlad", {"en", "fr"}},           {"t5", {"en", "fr"}}};
  for (const auto& [name, names] : models) {
    CAPTURE(name);
    const MultilingualModel model(name, {}, 256);
    dragoman_model_info info = {};
    dragoman_model_get_info(model.get(), &info);
    std::set<int32_t> control = {info.end_id};
    for (size_t i = 0; i < info.num_target_languages; ++i) {
      dragoman_language language = {};
      REQUIRE(dragoman_get_language(model.get(), DRAGOMAN_TARGET, i, &language, nullptr) == DRAGOMAN_OK);
      if (language.token >= 0) control.insert(language.token);
    }
    for (const int32_t id : model.tokenize(text)) CHECK(!control.contains(id));
    const KeptCall kept = model.translate({text}, names);
    INFO(kept.message);
    REQUIRE(kept.code == DRAGOMAN_OK);
    REQUIRE(!kept.sources.empty());
    for (const Ids& part : kept.sources) {
      // Only the first two and the last two ids are the engine's.
      for (size_t i = 2; i + 2 < part.size(); ++i) CHECK(!control.contains(part[i]));
      CHECK(std::count(part.begin(), part.end(), info.end_id) == 1);
    }
    CHECK(std::string(kept.target_language) == "fr");
  }
}

TEST_CASE("TX-20: names through the C interface") {
  const MultilingualModel model("nllb");
  dragoman_language language = {};
  dragoman_error error = {};
  REQUIRE(dragoman_find_language(model.get(), DRAGOMAN_TARGET, "ZH-hans-CN", &language, &error) == DRAGOMAN_OK);
  CHECK(std::string(language.code) == "zh-Hans");
  CHECK(std::string(language.name) == "zho_Hans");
  CHECK_FALSE(language.inexact);
  REQUIRE(dragoman_find_language(model.get(), DRAGOMAN_SOURCE, "pt_br", &language, &error) == DRAGOMAN_OK);
  CHECK(std::string(language.name) == "por_Latn");
  CHECK(language.inexact);
  for (const char* name : {"", "zh-", "xx", "en-US-x-a-very-long-tag", "sr-Latn"}) {
    CAPTURE(name);
    CHECK(dragoman_find_language(model.get(), DRAGOMAN_TARGET, name, &language, &error) == DRAGOMAN_NOT_FOUND);
    CHECK_THAT(error.message, ContainsSubstring("ace_Arab ace_Latn") && ContainsSubstring("(202 in all)"));
    CHECK(model.translate({"The sun."}, {"en", name}).code == DRAGOMAN_NOT_FOUND);
  }
  CHECK(dragoman_get_language(model.get(), DRAGOMAN_TARGET, 202, &language, &error) == DRAGOMAN_INVALID_ARGUMENT);
  CHECK(dragoman_find_language(model.get(), DRAGOMAN_TARGET, nullptr, &language, &error) == DRAGOMAN_INVALID_ARGUMENT);
}

TEST_CASE("a model with several targets and no default has to be told") {
  const MultilingualModel model("nllb");
  const KeptCall kept = model.translate({"The sun."}, {"en", nullptr});
  CHECK(kept.code == DRAGOMAN_INVALID_ARGUMENT);
  CHECK_THAT(kept.message, ContainsSubstring("target language has to be named") && ContainsSubstring("ace_Arab"));
  // The tokenizer's own default of the source.
  const KeptCall unnamed = model.translate({"The sun."}, {nullptr, "fr"});
  CHECK(unnamed.sources.at(0).front() == model.token("eng_Latn"));
  // What was chosen at conversion.
  converter::ConvertOptions options;
  options.source_language = "fr";
  options.target_language = "zh-TW";
  const MultilingualModel chosen("nllb", options);
  const KeptCall own = chosen.translate({"The sun."}, {});
  REQUIRE(own.code == DRAGOMAN_OK);
  CHECK(own.sources.at(0).front() == chosen.token("fra_Latn"));
  CHECK(own.ids.at(0).front() == chosen.token("zho_Hant"));
  dragoman_model_info info = {};
  dragoman_model_get_info(chosen.get(), &info);
  CHECK(std::string(info.target_language) == "zh-Hant");
  // mBART's own settings name a target.
  const MultilingualModel mbart("mbart");
  CHECK(mbart.translate({"The sun."}, {"en", nullptr}).target_language == "ro-RO");
}

TEST_CASE("T5's tasks are pairs; without one a text brings its own words") {
  const MultilingualModel model("t5");
  const KeptCall named = model.translate({"The sun."}, {nullptr, "de"});
  INFO(named.message);
  REQUIRE(named.code == DRAGOMAN_OK);
  CHECK(named.source_language == "en");
  const KeptCall words = model.translate({"translate English to German: The sun."}, {});
  REQUIRE(words.code == DRAGOMAN_OK);
  CHECK(words.sources == named.sources);
  CHECK(model.translate({"The sun."}, {"de", "en"}).code == DRAGOMAN_NOT_FOUND);
  const KeptCall half = model.translate({"The sun."}, {"en", nullptr});
  CHECK(half.code == DRAGOMAN_NOT_FOUND);
  CHECK_THAT(half.message, ContainsSubstring("en-de en-fr en-ro"));
}

TEST_CASE("a model of one pair takes the names of its pair and refuses others") {
  const test::OpenModel model(test::tiny_model_builder().finish());
  const test::SessionHandle session = model.session(test::batch_options(1));
  dragoman_translate_options options = dragoman_default_translate_options();
  const test::KeptInput plain = test::translate_one(session.get(), "a b c", &options);
  for (const auto& [from, to] : {std::pair("en", "pt-BR"), std::pair("eng_Latn", "pt_br"), std::pair("en", "pb"),
                                 std::pair("EN", "por"), std::pair("en-GB", "pt")}) {
    CAPTURE(from, to);
    options.source_language = from;
    options.target_language = to;
    CHECK(test::translate_one(session.get(), "a b c", &options) == plain);
  }
  const std::string text = "a b c";
  const dragoman_text input = {text.data(), text.size()};
  const dragoman_sink sink = {nullptr, [](void*, const dragoman_segment*) { return true; }, nullptr};
  dragoman_error error = {};
  options.target_language = "es";
  CHECK(dragoman_translate(session.get(), &input, 1, &options, &sink, &error) == DRAGOMAN_NOT_FOUND);
  CHECK_THAT(error.message, ContainsSubstring("target language 'es' is not one that the model has: pt-BR"));
}

TEST_CASE("finding languages and placing their tokens allocates nothing") {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  const MultilingualModel nllb("nllb");
  const MultilingualModel opus("opus");
  const std::string texts[] = {"The boats come home.", ">>fra<< The boats come home.", ">>zzz<< The boats"};
  const dragoman_sink sink = {nullptr, [](void*, const dragoman_segment*) { return true; }, nullptr};
  const auto allocations = [&](dragoman_session* session, const std::string& text, const Languages& names) {
    const dragoman_translate_options options = test::options_for(names);
    const dragoman_text input = {text.data(), text.size()};
    dragoman_error error = {};
    test::reset_allocation_count();
    dragoman_translate(session, &input, 1, &options, &sink, &error);
    return test::allocation_count();
  };
  for (const Languages& names :
       {Languages{"eng_Latn", "fra_Latn"}, Languages{"en-GB", "zh-HK"}, Languages{"en", "xx"}, Languages{"en"}}) {
    CHECK(allocations(nllb.session(), texts[0], names) == 0);
  }
  for (const std::string& text : texts) CHECK(allocations(opus.session(), text, {}) == 0);
}

TEST_CASE("ids are taken as they are; a named target begins the output") {
  const MultilingualModel model("nllb");
  const Ids source = joined({model.token("eng_Latn")}, model.tokenize("The sun."), {2});
  const auto translate = [&](const char* to) {
    const dragoman_translate_options options = test::options_for({nullptr, to});
    const dragoman_ids input = {source.data(), source.size()};
    KeptCall kept;
    const dragoman_sink sink = test::sink_of(&kept);
    REQUIRE(dragoman_translate_ids(model.session(), &input, 1, &options, &sink, nullptr) == DRAGOMAN_OK);
    return kept.ids.at(0);
  };
  CHECK(translate("fra_Latn") == model.translate({"The sun."}, {"en", "fr"}).ids.at(0));
  CHECK(translate(nullptr).front() != model.token("fra_Latn"));
}

TEST_CASE("a missing target is named by its tag where the model has no name for it") {
  test::ModelBuilder builder = test::tiny_model_builder();
  auto second = std::make_unique<schema::LanguageT>();
  second->code = "fr";
  builder.model.target_languages.push_back(std::move(second));
  for (const auto& language : builder.model.target_languages) language->token = 5;
  builder.model.language_layout = std::make_unique<schema::LanguageLayoutT>();
  builder.model.language_layout->source_prefix = {-2};
  builder.model.language_layout->target_in_text = true;
  const test::OpenModel model(builder.finish());
  const auto session = model.session(test::batch_options(1));
  dragoman_error error = {};
  size_t needed = 0;
  CHECK(dragoman_translate_text(session.get(), "a b", 3, nullptr, nullptr, 0, &needed, &error) ==
        DRAGOMAN_INVALID_ARGUMENT);
  CHECK_THAT(error.message, ContainsSubstring(">>pt-BR<<"));
}

// A changed copy of a model folder, to be converted.
converter::ConvertOptions written(test::HuggingFaceFolder& folder) {
  converter::ConvertOptions options;
  options.input = folder.write();
  return options;
}

TEST_CASE("CV-12: rows that belong to no token never come out") {
  test::HuggingFaceFolder folder(std::string(DRAGOMAN_MULTILINGUAL_DIR) + "/m2m100");
  test::FolderTensor& table = folder.tensors.at("model.shared.weight");
  const size_t rows = table.shape[0], width = table.shape[1];
  // Of the 8 rows at the end, one and its negative would win whatever the decoder says.
  for (size_t made_up = 0; made_up < 8; ++made_up) {
    const float sign = made_up % 2 == 0 ? 1000.0f : -1000.0f;
    float* row = table.values.data() + (rows - 8 + made_up) * width;
    for (size_t i = 0; i < width; ++i) row[i] = sign * static_cast<float>(1 + (i * (made_up / 2 + 1)) % 3);
  }
  const MultilingualModel model("", written(folder));
  const MultilingualModel whole("m2m100");
  for (const char* text : {"The boats come home before the sun.", "Le pain du vieux port?"}) {
    const KeptCall kept = model.translate({text}, {"en", "fr"});
    INFO(kept.message);
    REQUIRE(kept.code == DRAGOMAN_OK);
    for (const int32_t id : kept.ids.at(0)) CHECK(static_cast<size_t>(id) < rows - 8);
    CHECK(kept.ids == whole.translate({text}, {"en", "fr"}).ids);
  }
}

TEST_CASE("CV-09: a target that the call names wins over both files") {
  test::HuggingFaceFolder folder(std::string(DRAGOMAN_MULTILINGUAL_DIR) + "/m2m100");
  folder.config["forced_bos_token_id"] = 7;
  folder.generation["forced_bos_token_id"] = 9;
  const MultilingualModel model("", written(folder));
  CHECK(model.translate({"The sun."}, {"en", "fr"}).ids.at(0).front() == model.token("fr"));
  CHECK(model.translate({"The sun."}, {"en", "de"}).ids.at(0).front() == model.token("de"));
}

}  // namespace
}  // namespace dragoman
