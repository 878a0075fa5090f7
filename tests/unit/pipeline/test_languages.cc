// Languages through the C interface: which texts, names and pairs are taken, where tokens stand, what is refused.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/translation.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using Ids = std::vector<int32_t>;

struct Names {
  const char* from = nullptr;
  const char* to = nullptr;
};

struct Kept {
  dragoman_code code = DRAGOMAN_OK;
  std::string message;
  std::vector<Ids> sources;  // of each segment
  std::vector<Ids> ids;
  std::vector<std::string> gaps;
  std::vector<uint32_t> flags;
  std::string source_language, target_language;
};

// A model of tests/data/multilingual, converted, with one session.
class Multilingual {
 public:
  explicit Multilingual(const std::string& name, converter::ConvertOptions options = {},
                        uint32_t max_source_tokens = 64) {
    if (options.input.empty()) options.input = std::string(DRAGOMAN_MULTILINGUAL_DIR) + "/" + name;
    options.output = folder_.path("out.drg");
    options.weight_type = converter::WeightType::kF32;
    const auto report = converter::convert(options);
    INFO(report.status().message());
    REQUIRE(report.ok());
    notes_ = report.value().notes;
    dragoman_error error = {};
    REQUIRE(dragoman_model_open(options.output.c_str(), nullptr, &model_, &error) == DRAGOMAN_OK);
    dragoman_session_options session = dragoman_default_session_options();
    session.max_source_tokens = max_source_tokens;
    session.max_target_tokens = 24;
    session.max_batch = 3;
    session.full_logits = true;
    REQUIRE(dragoman_session_create(model_, &session, nullptr, 0, &session_, &error) == DRAGOMAN_OK);
  }
  ~Multilingual() {
    dragoman_session_destroy(session_);
    dragoman_model_close(model_);
  }
  Multilingual(const Multilingual&) = delete;
  Multilingual& operator=(const Multilingual&) = delete;

  const dragoman_model* get() const { return model_; }
  dragoman_session* session() const { return session_; }
  const std::vector<std::string>& notes() const { return notes_; }

  Kept translate(const std::vector<std::string>& texts, const Names& names) const {
    Kept kept;
    const std::vector<dragoman_text> inputs = test::as_texts(texts);
    const dragoman_translate_options options = options_of(names);
    const dragoman_sink sink = {&kept, on_segment, nullptr};
    dragoman_error error = {};
    kept.code = dragoman_translate(session_, inputs.data(), inputs.size(), &options, &sink, &error);
    kept.message = error.message;
    return kept;
  }

  Kept score(const std::string& source, const std::string& target, const Names& names,
             std::vector<float>* log_probs) const {
    Kept kept;
    log_probs_ = log_probs;
    const dragoman_text from = {source.data(), source.size()};
    const dragoman_text to = {target.data(), target.size()};
    const dragoman_translate_options options = options_of(names);
    const dragoman_sink sink = {&kept, on_segment, nullptr};
    dragoman_error error = {};
    kept.code = dragoman_score(session_, &from, &to, 1, &options, &sink, &error);
    kept.message = error.message;
    log_probs_ = nullptr;
    return kept;
  }

  // The id of a token, by the languages' list.
  int32_t token(const char* name) const {
    dragoman_language language = {};
    dragoman_error error = {};
    INFO(error.message);
    REQUIRE(dragoman_find_language(model_, DRAGOMAN_TARGET, name, &language, &error) == DRAGOMAN_OK);
    return language.token;
  }

  // Ids of a text alone.
  Ids tokenize(const std::string& text) const {
    Ids ids(256);
    size_t count = 0;
    REQUIRE(dragoman_tokenize(model_, DRAGOMAN_SOURCE, text.data(), text.size(), ids.data(), ids.size(), &count,
                              nullptr) == DRAGOMAN_OK);
    ids.resize(count);
    return ids;
  }

 private:
  static dragoman_translate_options options_of(const Names& names) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.source_language = names.from;
    options.target_language = names.to;
    return options;
  }

  static bool on_segment(void* user, const dragoman_segment* segment) {
    auto* kept = static_cast<Kept*>(user);
    kept->sources.emplace_back(segment->source_ids, segment->source_ids + segment->num_source_ids);
    kept->ids.emplace_back(segment->ids, segment->ids + segment->num_ids);
    kept->gaps.emplace_back(segment->gap_before, segment->gap_before_bytes);
    kept->flags.push_back(segment->flags);
    kept->source_language = segment->source_language;
    kept->target_language = segment->target_language;
    if (log_probs_ != nullptr) log_probs_->assign(segment->log_probs, segment->log_probs + segment->num_ids);
    return true;
  }

  inline static std::vector<float>* log_probs_ = nullptr;

  test::TemporaryFolder folder_;
  std::vector<std::string> notes_;
  dragoman_model* model_ = nullptr;
  dragoman_session* session_ = nullptr;
};

Ids joined(Ids before, const Ids& text, const Ids& after) {
  before.insert(before.end(), text.begin(), text.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

TEST_CASE("TK-10: a target at the beginning of the text") {
  const Multilingual model("opus");
  const Ids expected = joined({model.token("fra")}, model.tokenize("The boats"), {0});
  for (const char* text : {">>fra<< The boats", ">>fra<<The boats", "  >>fra<<  The boats"}) {
    CAPTURE(text);
    const Kept kept = model.translate({text}, {});
    INFO(kept.message);
    REQUIRE(kept.code == DRAGOMAN_OK);
    CHECK(kept.sources == std::vector<Ids>{expected});
    CHECK(kept.target_language == "fr");
    CHECK(kept.gaps == std::vector<std::string>{""});
  }
  CHECK(model.translate({"The boats"}, {nullptr, "fr"}).sources == std::vector<Ids>{expected});
  // Not at the beginning, or with a target named by the call: text like any other.
  const Kept inside = model.translate({"The >>fra<< boats"}, {nullptr, "por"});
  CHECK(inside.sources == std::vector<Ids>{joined({model.token("por")}, model.tokenize("The >>fra<< boats"), {0})});
  const Kept named = model.translate({">>fra<< The boats"}, {nullptr, "por"});
  CHECK(named.sources == std::vector<Ids>{joined({model.token("por")}, model.tokenize(">>fra<< The boats"), {0})});
  // Unknown or missing.
  const Kept unknown = model.translate({">>zzz<< The boats"}, {});
  CHECK(unknown.code == DRAGOMAN_NOT_FOUND);
  CHECK_THAT(unknown.message,
             ContainsSubstring("input 0: target language 'zzz'") && ContainsSubstring("fra por pt_br"));
  for (const char* text : {"The boats", "Hello >>fra<< x", ">>fra The boats", ">><< The boats"}) {
    CAPTURE(text);
    const Kept missing = model.translate({text}, {});
    CHECK(missing.code == DRAGOMAN_INVALID_ARGUMENT);
    CHECK_THAT(missing.message, ContainsSubstring("input 0: missing target language") && ContainsSubstring(">>fra<<"));
  }
}

TEST_CASE("TK-10: every text has a target of its own, for all of its sentences") {
  const Multilingual model("opus");
  const Kept kept = model.translate({">>fra<< The boats. The sun.", "", ">>deu<< The boats."}, {});
  INFO(kept.message);
  REQUIRE(kept.code == DRAGOMAN_OK);
  REQUIRE(kept.sources.size() == 3);
  CHECK(kept.sources[0].front() == model.token("fra"));
  CHECK(kept.sources[1].front() == model.token("fra"));
  CHECK(kept.sources[2].front() == model.token("deu"));
  CHECK(model.translate({">>fra<<"}, {}).sources.empty());
}

TEST_CASE("TK-12: NLLB's source language stands first, with legacy_behaviour last") {
  const Multilingual model("nllb");
  const Ids text = model.tokenize("The boats come home.");
  const Kept kept = model.translate({"The boats come home."}, {"eng_Latn", "fra_Latn"});
  REQUIRE(kept.code == DRAGOMAN_OK);
  CHECK(kept.sources == std::vector<Ids>{joined({model.token("eng_Latn")}, text, {2})});
  CHECK(kept.ids.at(0).front() == model.token("fra_Latn"));
  CHECK(kept.source_language == "en");
  CHECK(kept.target_language == "fr");
  CHECK(std::any_of(model.notes().begin(), model.notes().end(),
                    [](const std::string& note) { return note.starts_with("NLLB: source language, text, </s>"); }));
  const Multilingual legacy("nllb-legacy");
  const Kept old = legacy.translate({"The boats come home."}, {"eng_Latn", "fra_Latn"});
  CHECK(old.sources == std::vector<Ids>{joined({}, text, {2, legacy.token("eng_Latn")})});
  CHECK(old.ids.at(0).front() == legacy.token("fra_Latn"));
}

TEST_CASE("TK-17: tokens written in a text are text") {
  const std::string text = "Press </s> to stop <pad> now <unk> __en__ eng_Latn en_XX <2de> >>fra<<";
  const std::map<std::string, Names> models = {{"nllb", {"eng_Latn", "fra_Latn"}}, {"m2m100", {"en", "fr"}},
                                               {"small100", {"en", "fr"}},         {"mbart", {"en_XX", "fr_XX"}},
                                               {"mbart50", {"en_XX", "fr_XX"}},    {"opus", {"en", "fra"}},
                                               {"madlad", {"en", "fr"}},           {"t5", {"en", "fr"}}};
  for (const auto& [name, names] : models) {
    CAPTURE(name);
    const Multilingual model(name, {}, 256);
    dragoman_model_info info = {};
    dragoman_model_get_info(model.get(), &info);
    std::set<int32_t> control = {info.end_id};
    for (size_t i = 0; i < info.num_target_languages; ++i) {
      dragoman_language language = {};
      REQUIRE(dragoman_get_language(model.get(), DRAGOMAN_TARGET, i, &language, nullptr) == DRAGOMAN_OK);
      if (language.token >= 0) control.insert(language.token);
    }
    for (const int32_t id : model.tokenize(text)) CHECK(!control.contains(id));
    const Kept kept = model.translate({text}, names);
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
  const Multilingual model("nllb");
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
  const Multilingual model("nllb");
  const Kept kept = model.translate({"The sun."}, {"en", nullptr});
  CHECK(kept.code == DRAGOMAN_INVALID_ARGUMENT);
  CHECK_THAT(kept.message, ContainsSubstring("target language has to be named") && ContainsSubstring("ace_Arab"));
  // The tokenizer's own default of the source.
  const Kept unnamed = model.translate({"The sun."}, {nullptr, "fr"});
  CHECK(unnamed.sources.at(0).front() == model.token("eng_Latn"));
  // What was chosen at conversion.
  converter::ConvertOptions options;
  options.source_language = "fr";
  options.target_language = "zh-TW";
  const Multilingual chosen("nllb", options);
  const Kept own = chosen.translate({"The sun."}, {});
  REQUIRE(own.code == DRAGOMAN_OK);
  CHECK(own.sources.at(0).front() == chosen.token("fra_Latn"));
  CHECK(own.ids.at(0).front() == chosen.token("zho_Hant"));
  dragoman_model_info info = {};
  dragoman_model_get_info(chosen.get(), &info);
  CHECK(std::string(info.target_language) == "zh-Hant");
  // mBART's own settings name a target.
  const Multilingual mbart("mbart");
  CHECK(mbart.translate({"The sun."}, {"en", nullptr}).target_language == "ro-RO");
}

TEST_CASE("tokens around a text count in the limits") {
  const Multilingual model("nllb", {}, 12);
  std::string text;
  for (int i = 0; i < 12; ++i) text += "The boats come home, ";
  const Kept kept = model.translate({text}, {"en", "fr"});
  INFO(kept.message);
  REQUIRE(kept.code == DRAGOMAN_OK);
  REQUIRE(kept.sources.size() > 5);
  for (size_t i = 0; i < kept.sources.size(); ++i) {
    CHECK(kept.sources[i].size() <= 12);
    CHECK(kept.sources[i].front() == model.token("eng_Latn"));
    CHECK(kept.sources[i].back() == 2);
    CHECK((kept.flags[i] & DRAGOMAN_CUT) != 0);
  }
  const Multilingual narrow("nllb", {}, 2);
  const Kept refused = narrow.translate({"The sun."}, {"en", "fr"});
  CHECK(refused.code == DRAGOMAN_INVALID_ARGUMENT);
  CHECK_THAT(refused.message, ContainsSubstring("max_source_tokens"));
}

TEST_CASE("scoring follows the languages, and what is forced costs nothing") {
  const Multilingual model("nllb");
  std::vector<float> log_probs;
  const Kept kept = model.score("The sun.", "Le pain.", {"en", "fr"}, &log_probs);
  INFO(kept.message);
  REQUIRE(kept.code == DRAGOMAN_OK);
  CHECK(kept.sources.at(0).front() == model.token("eng_Latn"));
  CHECK(kept.ids.at(0) == joined({model.token("fra_Latn")}, model.tokenize("Le pain."), {2}));
  CHECK(log_probs.at(0) == 0);
  CHECK(log_probs.at(1) < 0);
  std::vector<float> other;
  CHECK(model.score("The sun.", "Le pain.", {"en", "de"}, &other).ids.at(0).front() == model.token("deu_Latn"));
  CHECK(other.at(1) != log_probs.at(1));
}

TEST_CASE("T5's tasks are pairs; without one a text brings its own words") {
  const Multilingual model("t5");
  const Kept named = model.translate({"The sun."}, {nullptr, "de"});
  INFO(named.message);
  REQUIRE(named.code == DRAGOMAN_OK);
  CHECK(named.source_language == "en");
  const Kept words = model.translate({"translate English to German: The sun."}, {});
  REQUIRE(words.code == DRAGOMAN_OK);
  CHECK(words.sources == named.sources);
  CHECK(model.translate({"The sun."}, {"de", "en"}).code == DRAGOMAN_NOT_FOUND);
  const Kept half = model.translate({"The sun."}, {"en", nullptr});
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

// A copy of a model folder that a test may change.
class ModelFolder {
 public:
  explicit ModelFolder(const std::string& name) {
    std::filesystem::copy(std::string(DRAGOMAN_MULTILINGUAL_DIR) + "/" + name, folder_.path(),
                          std::filesystem::copy_options::recursive);
  }

  std::string read(const std::string& file) const {
    std::ifstream stream(folder_.path(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& file, const std::string& bytes) const {
    std::ofstream(folder_.path(file), std::ios::binary) << bytes;
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    write(file, text.replace(at, from.size(), to));
  }
  converter::ConvertOptions options() const {
    converter::ConvertOptions options;
    options.input = folder_.path();
    return options;
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("CV-12: rows that belong to no token never come out") {
  const ModelFolder folder("m2m100");
  std::string file = folder.read("model.safetensors");
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), sizeof header_bytes);
  const size_t entry = file.find("\"model.shared.weight\"");
  REQUIRE(entry < header_bytes);
  size_t rows = 0, width = 0, begin = 0;
  REQUIRE(std::sscanf(file.c_str() + file.find("\"shape\":[", entry), "\"shape\":[%zu,%zu]", &rows, &width) == 2);
  REQUIRE(std::sscanf(file.c_str() + file.find("\"data_offsets\":[", entry), "\"data_offsets\":[%zu,", &begin) == 1);
  // Of the 8 rows at the end, one and its negative would win whatever the decoder says.
  std::vector<float> row(width);
  for (size_t made_up = 0; made_up < 8; ++made_up) {
    const float sign = made_up % 2 == 0 ? 1000.0f : -1000.0f;
    for (size_t i = 0; i < width; ++i) row[i] = sign * static_cast<float>(1 + (i * (made_up / 2 + 1)) % 3);
    char* to = file.data() + 8 + header_bytes + begin + (rows - 8 + made_up) * width * sizeof(float);
    std::memcpy(to, row.data(), width * sizeof(float));
  }
  folder.write("model.safetensors", file);
  const Multilingual model("", folder.options());
  const Multilingual whole("m2m100");
  for (const char* text : {"The boats come home before the sun.", "Le pain du vieux port?"}) {
    const Kept kept = model.translate({text}, {"en", "fr"});
    INFO(kept.message);
    REQUIRE(kept.code == DRAGOMAN_OK);
    for (const int32_t id : kept.ids.at(0)) CHECK(static_cast<size_t>(id) < rows - 8);
    CHECK(kept.ids == whole.translate({text}, {"en", "fr"}).ids);
  }
}

TEST_CASE("CV-09: a target that the call names wins over both files") {
  const ModelFolder folder("m2m100");
  folder.replace("config.json", "\"vocab_size\"", "\"forced_bos_token_id\": 7, \"vocab_size\"");
  folder.replace("generation_config.json", "\"eos_token_id\"", "\"forced_bos_token_id\": 9, \"eos_token_id\"");
  const Multilingual model("", folder.options());
  CHECK(model.translate({"The sun."}, {"en", "fr"}).ids.at(0).front() == model.token("fr"));
  CHECK(model.translate({"The sun."}, {"en", "de"}).ids.at(0).front() == model.token("de"));
}

TEST_CASE("finding languages and placing their tokens allocates nothing") {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  const Multilingual nllb("nllb");
  const Multilingual opus("opus");
  const std::string texts[] = {"The boats come home.", ">>fra<< The boats come home.", ">>zzz<< The boats"};
  const dragoman_sink sink = {nullptr, [](void*, const dragoman_segment*) { return true; }, nullptr};
  const auto allocations = [&](dragoman_session* session, const std::string& text, const Names& names) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.source_language = names.from;
    options.target_language = names.to;
    const dragoman_text input = {text.data(), text.size()};
    dragoman_error error = {};
    test::reset_allocation_count();
    dragoman_translate(session, &input, 1, &options, &sink, &error);
    return test::allocation_count();
  };
  for (const Names& names : {Names{"eng_Latn", "fra_Latn"}, Names{"en-GB", "zh-HK"}, Names{"en", "xx"}, Names{"en"}}) {
    CHECK(allocations(nllb.session(), texts[0], names) == 0);
  }
  for (const std::string& text : texts) CHECK(allocations(opus.session(), text, {}) == 0);
}

TEST_CASE("ids are taken as they are; a named target begins the output") {
  const Multilingual model("nllb");
  const Ids source = joined({model.token("eng_Latn")}, model.tokenize("The sun."), {2});
  const auto translate = [&](const char* to) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.target_language = to;
    Ids ids;
    const dragoman_ids input = {source.data(), source.size()};
    const dragoman_sink sink = {&ids,
                                [](void* user, const dragoman_segment* segment) {
                                  static_cast<Ids*>(user)->assign(segment->ids, segment->ids + segment->num_ids);
                                  return true;
                                },
                                nullptr};
    REQUIRE(dragoman_translate_ids(model.session(), &input, 1, &options, &sink, nullptr) == DRAGOMAN_OK);
    return ids;
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
