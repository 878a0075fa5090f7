// Damaged multilingual models: what opens is told languages, by name and in the text, and scores.
// Neighbours: damage.h makes the variants; test_damaged_families.cc does the same with ids.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>

#include "model/model_view.h"
#include "tests/robustness/damage.h"
#include "tests/robustness/describe.h"
#include "tests/robustness/use_damaged.h"
#include "tests/support/converted_family.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::Uses;

constexpr uint64_t kMaxSessionBytes = 64u << 20;
constexpr uint32_t kMaxLength = 4;
constexpr uint32_t kMaxSourceTokens = 24;

bool check_segment(void* user, const dragoman_segment* segment) {
  const bool good = segment->num_ids >= 1 && segment->num_ids <= kMaxLength &&
                    segment->num_source_ids <= kMaxSourceTokens && segment->source_language != nullptr &&
                    segment->target_language != nullptr;
  static_cast<Uses*>(user)->wrong += good ? 0 : 1;
  return true;
}

// The code of the first or of the last language; null when there is none.
const char* language(const dragoman_model* model, dragoman_side side, bool last) {
  dragoman_model_info info = {};
  dragoman_model_get_info(model, &info);
  const size_t count = side == DRAGOMAN_SOURCE ? info.num_source_languages : info.num_target_languages;
  dragoman_language found = {};
  const bool any =
      count > 0 && dragoman_get_language(model, side, last ? count - 1 : 0, &found, nullptr) == DRAGOMAN_OK;
  return any ? found.code : nullptr;
}

// Names both languages, the target alone, and none, which leaves it to the text.
void translate(const dragoman_model* model, dragoman_session* session, Uses* uses) {
  const std::string plain = "The sun. ", told = ">>fra<< The sun.";
  const dragoman_sink sink = {uses, check_segment, nullptr};
  for (const bool last : {true, false}) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.source_language = last ? language(model, DRAGOMAN_SOURCE, last) : nullptr;
    options.target_language = language(model, DRAGOMAN_TARGET, last);
    const dragoman_text texts[] = {{plain.data(), plain.size()}, {"", 0}};
    uses->count(dragoman_translate(session, texts, 2, &options, &sink, nullptr));
    uses->count(dragoman_score(session, texts, texts + 1, 1, &options, &sink, nullptr));
  }
  const dragoman_text text = {told.data(), told.size()};
  uses->count(dragoman_translate(session, &text, 1, nullptr, &sink, nullptr));
}

bool open_and_translate(std::span<const std::byte> file, Uses* uses) {
  dragoman_session_options options = test::batch_options(2);
  options.max_source_tokens = kMaxSourceTokens;
  options.max_target_tokens = kMaxLength;
  options.max_beam = 2;
  options.full_logits = true;
  return test::open_and_use(
      file, options, kMaxSessionBytes, uses,
      [uses](const dragoman_model* model, dragoman_session* session) { translate(model, session, uses); });
}

schema::LanguageT language(const char* code, const char* name, int32_t token) {
  schema::LanguageT language;
  language.code = code;
  language.name = name;
  language.token = token;
  return language;
}

// The tiny model with every part of a layout: with pairs, each with a prefix, or with tokens in all lists.
test::AlignedBytes tiny_multilingual(bool pairs) {
  test::ModelBuilder builder = test::tiny_model_builder();
  schema::ModelT& model = builder.model;
  model.source_languages.clear();
  model.target_languages.clear();
  for (const schema::LanguageT& one : {language("en", "eng", 5), language("fr", "fra", 6), language("de", "deu", 7)}) {
    model.source_languages.push_back(std::make_unique<schema::LanguageT>(one));
    model.target_languages.push_back(std::make_unique<schema::LanguageT>(one));
  }
  model.language_layout = std::make_unique<schema::LanguageLayoutT>();
  schema::LanguageLayoutT& layout = *model.language_layout;
  layout.source_suffix = {0, static_cast<int32_t>(schema::LanguageToken::Source)};
  layout.forced_ids = {static_cast<int32_t>(schema::LanguageToken::Target), 8};
  layout.start_is_target = true;
  layout.default_source = 0;
  layout.default_target = 1;
  if (!pairs) {
    layout.source_prefix = {static_cast<int32_t>(schema::LanguageToken::Target), 9};
    return builder.finish();
  }
  for (const auto& [source, target] : {std::pair(0u, 0u), std::pair(0u, 1u), std::pair(2u, 2u)}) {
    schema::LanguagePairT pair;
    pair.source = source;
    pair.target = target;
    pair.source_prefix = {3, static_cast<int32_t>(4 + target)};
    layout.pairs.push_back(std::make_unique<schema::LanguagePairT>(pair));
  }
  return builder.finish();
}

void check_damaged(const test::AlignedBytes& original, const test::DamageOptions& options) {
  const auto view = model::ModelView::open(original.span());
  REQUIRE(view.ok());
  REQUIRE(view.value().language_layout().present);
  Uses uses;
  REQUIRE(open_and_translate(original.span(), &uses));
  REQUIRE(uses.translated >= 3);
  const test::DamageReport report = test::damage_everywhere(
      original.span(), options, [&uses](std::span<const std::byte> file) { return open_and_translate(file, &uses); });
  test::check_uses(report, uses);
}

TEST_CASE("MF-01: a damaged layout of languages is refused, or can be read") {
  for (const bool pairs : {false, true}) {
    const test::AlignedBytes original = tiny_multilingual(pairs);
    const auto open_and_walk = [](std::span<const std::byte> file) {
      const auto view = model::ModelView::open(file);
      return view.ok() && test::walk(view.value()) != 0;
    };
    REQUIRE(open_and_walk(original.span()));
    test::DamageOptions options;
    options.keep_every = 3;
    const test::DamageReport report = test::damage_everywhere(original.span(), options, open_and_walk);
    CAPTURE(pairs, report.slowest.kind, report.slowest.position, report.slowest.value);
    CHECK(report.variants >= 5000);
    CHECK(report.accepted > 0);
    CHECK(report.accepted < report.variants / 2);
    CHECK(report.slowest_ms < 1000.0);
  }
}

TEST_CASE("MF-01: damaged models with a layout of languages translate within their limits") {
  test::DamageOptions options;
  options.keep_every = 20;
  options.random_flips = options.random_numbers = 10000;
  for (const bool pairs : {false, true}) {
    CAPTURE(pairs);
    check_damaged(tiny_multilingual(pairs), options);
  }
}

// A target in front of the text, one in front of the translation, and pairs.
TEST_CASE("MF-01: damaged multilingual models translate within their limits") {
  test::DamageOptions options;
  options.keep_every = 100;
  options.first_bytes = 2048;
  options.random_flips = options.random_numbers = 12000;
  for (const char* name : {"opus", "mbart", "t5"}) {
    CAPTURE(name);
    check_damaged(test::converted_model(std::string("multilingual/") + name), options);
  }
}

}  // namespace
}  // namespace dragoman
