// Vocabularies, shortlist, generation defaults and texts with one thing wrong at a time.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/unit/model/verify_support.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::BadModel;
using test::ModelBuilder;
using test::tensor_named;

schema::LanguageLayoutT& add_layout(ModelBuilder& b) {
  b.model.language_layout = std::make_unique<schema::LanguageLayoutT>();
  return *b.model.language_layout;
}

schema::LanguagePairT& add_pair(ModelBuilder& b) {
  auto& pairs = add_layout(b).pairs;
  pairs.push_back(std::make_unique<schema::LanguagePairT>());
  return *pairs.back();
}

const BadModel kBadModels[] = {
    {"huge vocabulary", [](ModelBuilder& b) { b.model.graph->source_vocabulary = (1u << 24) + 1; }, "16777217 source"},
    {"no target ids", [](ModelBuilder& b) { b.model.graph->target_vocabulary = 0; }, "0 target ids"},
    {"huge positions", [](ModelBuilder& b) { b.model.graph->max_target_positions = UINT32_MAX; },
     "4294967295 target positions"},
    {"end_id negative", [](ModelBuilder& b) { b.model.generation->end_id = -1; }, "end_id -1"},
    {"end_id out of range", [](ModelBuilder& b) { b.model.generation->end_id = 24; },
     "end_id 24, expected an id below 24"},
    {"unknown_id out of range", [](ModelBuilder& b) { b.model.generation->unknown_id = 24; }, "unknown_id 24"},
    {"unknown_id below -1", [](ModelBuilder& b) { b.model.generation->unknown_id = -2; }, "unknown_id -2"},
    {"start_id out of range", [](ModelBuilder& b) { b.model.generation->start_id = INT32_MAX; }, "start_id 2147483647"},
    {"suppressed out of range",
     [](ModelBuilder& b) {
       b.model.generation->suppressed = {1, 24};
     },
     "suppressed id 24"},
    {"suppressed negative", [](ModelBuilder& b) { b.model.generation->suppressed = {-1}; }, "suppressed id -1"},
    {"too many suppressed", [](ModelBuilder& b) { b.model.generation->suppressed.assign(25, 1); }, "25 suppressed ids"},
    {"more token ids than rows", [](ModelBuilder& b) { b.model.generation->num_token_ids = 25; }, "num_token_ids 25"},
    {"an end that is no token",
     [](ModelBuilder& b) {
       b.model.generation->num_token_ids = 5;
       b.model.generation->end_id = 5;
     },
     "num_token_ids 5 with end_id 5"},
    {"beam 0", [](ModelBuilder& b) { b.model.generation->beam_size = 0; }, "beam_size 0"},
    {"beam 33", [](ModelBuilder& b) { b.model.generation->beam_size = 33; }, "beam_size 33"},
    {"beam rule", [](ModelBuilder& b) { b.model.generation->beam_rule = static_cast<schema::BeamRule>(2); },
     "beam_rule 2", Code::kUnsupported},
    {"early stopping",
     [](ModelBuilder& b) { b.model.generation->early_stopping = static_cast<schema::EarlyStopping>(3); },
     "early_stopping 3", Code::kUnsupported},
    {"length penalty NaN", [](ModelBuilder& b) { b.model.generation->length_penalty = NAN; }, "length_penalty"},
    {"word penalty infinite", [](ModelBuilder& b) { b.model.generation->word_penalty = INFINITY; }, "word_penalty inf"},
    {"repetition penalty 0", [](ModelBuilder& b) { b.model.generation->repetition_penalty = 0; },
     "repetition_penalty 0"},
    {"forced out of range", [](ModelBuilder& b) { b.model.generation->forced_ids = {24}; }, "forced id 24"},
    {"bad word out of range",
     [](ModelBuilder& b) {
       b.model.generation->bad_words = {1, 24, -1};
     },
     "bad word 24"},
    {"bad words without an end",
     [](ModelBuilder& b) {
       b.model.generation->bad_words = {1, -1, 2};
     },
     "not followed by -1"},
    {"empty bad word",
     [](ModelBuilder& b) {
       b.model.generation->bad_words = {1, -1, -1};
     },
     "empty sequence"},
    {"alignment layer out of range", [](ModelBuilder& b) { b.model.generation->alignment_layer = 1; },
     "alignment_layer 1 and alignment_head -1; the decoder has 1 layers"},
    {"alignment layer below -1", [](ModelBuilder& b) { b.model.generation->alignment_layer = -2; },
     "alignment_layer -2"},
    {"alignment head out of range", [](ModelBuilder& b) { b.model.generation->alignment_head = 2; },
     "alignment_head 2; the decoder has 1 layers, of 2 heads"},
    {"alignment head below -1", [](ModelBuilder& b) { b.model.generation->alignment_head = -2; }, "alignment_head -2"},
    {"factor 0", [](ModelBuilder& b) { b.model.generation->max_length_factor = 0; }, "max_length_factor 0"},
    {"factor negative", [](ModelBuilder& b) { b.model.generation->max_length_factor = -2; }, "max_length_factor -2"},
    {"factor infinite", [](ModelBuilder& b) { b.model.generation->max_length_factor = INFINITY; },
     "max_length_factor inf"},
    {"factor NaN", [](ModelBuilder& b) { b.model.generation->max_length_factor = NAN; }, "max_length_factor"},
    {"factor huge", [](ModelBuilder& b) { b.model.generation->max_length_factor = 1e9f; }, "at most 1000"},
    {"offsets out of range", [](ModelBuilder& b) { b.model.shortlist->offsets = 4096; }, "offsets are tensor 4096"},
    {"ids of wrong type", [](ModelBuilder& b) { b.model.shortlist->ids = 0; }, "ids 'embedding' have type I8"},
    {"offsets of wrong size", [](ModelBuilder& b) { b.model.shortlist->offsets = b.model.shortlist->ids; },
     "(expected 25)"},
    {"always above", [](ModelBuilder& b) { b.model.shortlist->always = 25; }, "always 25"},
    {"multiple 0", [](ModelBuilder& b) { b.model.shortlist->multiple = 0; }, "multiple 0"},
    {"language without code", [](ModelBuilder& b) { b.model.source_languages[0]->code = ""; }, "source language 0"},
    {"language with a control character", [](ModelBuilder& b) { b.model.target_languages[0]->name = "a\n"; },
     "target language 0"},
    {"layout with an id out of range", [](ModelBuilder& b) { add_layout(b).source_prefix = {24}; },
     "id 24 (source_prefix), expected one below 24"},
    {"layout with an unknown token", [](ModelBuilder& b) { add_layout(b).source_suffix = {-3}; },
     "id -3 (source_suffix)"},
    {"layout with too many ids", [](ModelBuilder& b) { add_layout(b).forced_ids.assign(33, 0); }, "33 ids (forced_ids)",
     Code::kUnsupported},
    {"source language without a token", [](ModelBuilder& b) { add_layout(b).source_prefix = {-1}; },
     "source language 0: found token -1"},
    {"target language with a token out of range",
     [](ModelBuilder& b) {
       add_layout(b).forced_ids = {-2};
       b.model.target_languages[0]->token = 24;
     },
     "target language 0: found token 24, expected an id below 24"},
    {"source token without languages",
     [](ModelBuilder& b) {
       add_layout(b).source_prefix = {-1};
       b.model.source_languages.clear();
     },
     "asks for the token of a source language, but none is listed"},
    {"target token without languages",
     [](ModelBuilder& b) {
       schema::LanguageLayoutT& layout = add_layout(b);
       layout.source_prefix = {-2};
       layout.target_in_text = true;
       b.model.target_languages.clear();
     },
     "asks for the token of a target language, but none is listed"},
    {"token below -1", [](ModelBuilder& b) { b.model.source_languages[0]->token = -2; },
     "source language 0: found token -2"},
    {"token beyond every vocabulary", [](ModelBuilder& b) { b.model.target_languages[0]->token = INT32_MAX; },
     "target language 0: found token 2147483647"},
    {"start that follows the text",
     [](ModelBuilder& b) {
       schema::LanguageLayoutT& layout = add_layout(b);
       layout.start_is_target = layout.target_in_text = true;
       b.model.target_languages[0]->token = 5;
     },
     "target_in_text, but"},
    {"output that follows the text",
     [](ModelBuilder& b) {
       schema::LanguageLayoutT& layout = add_layout(b);
       layout.forced_ids = {-2};
       layout.target_in_text = true;
       b.model.target_languages[0]->token = 5;
     },
     "target_in_text, but"},
    {"pair that follows the text",
     [](ModelBuilder& b) {
       add_pair(b);
       b.model.language_layout->target_in_text = true;
     },
     "target_in_text, but"},
    {"start without a token", [](ModelBuilder& b) { add_layout(b).start_is_target = true; },
     "target language 0: found token -1"},
    {"default source out of range", [](ModelBuilder& b) { add_layout(b).default_source = 1; }, "default_source 1 of 1"},
    {"default target below -1", [](ModelBuilder& b) { add_layout(b).default_target = -2; }, "default_target -2 of 1"},
    {"pair out of range", [](ModelBuilder& b) { add_pair(b).target = 1; }, "pair of 0 and 1 of 1 and 1"},
    {"pair with a token", [](ModelBuilder& b) { add_pair(b).source_prefix = {-2}; }, "id -2 (pair's source_prefix)"},
    {"checksums of other files",
     [](ModelBuilder& b) {
       b.model.provenance->source_files = {"a", "b"};
     },
     "1 checksums of 2 files"},
};

TEST_CASE("wrong ids and texts are refused") {
  for (const BadModel& bad : kBadModels) {
    CAPTURE(bad.what);
    const Status status = test::open_changed(bad.change);
    CHECK(status.code() == bad.code);
    CHECK_THAT(status.message(), ContainsSubstring(bad.message));
  }
}

TEST_CASE("a layout with a token of every language reads as written") {
  ModelBuilder b = test::tiny_model_builder();
  b.model.source_languages[0]->token = 5;
  b.model.target_languages[0]->token = 6;
  b.model.target_languages[0]->name = "por_Latn";
  schema::LanguageLayoutT& layout = add_layout(b);
  layout.source_prefix = {-1, 3};
  layout.source_suffix = {0};
  layout.forced_ids = {-2};
  layout.start_is_target = true;
  layout.default_target = 0;
  layout.pairs.push_back(std::make_unique<schema::LanguagePairT>());
  layout.pairs[0]->source_prefix = {7};
  const test::AlignedBytes file = b.finish();
  const auto view = model::ModelView::open(file.span());
  INFO(view.status().message());
  REQUIRE(view.ok());
  CHECK(view.value().source_language(0).token == 5);
  CHECK(std::string_view(view.value().target_language(0).name) == "por_Latn");
  const model::LanguageLayoutView read = view.value().language_layout();
  REQUIRE(read.present);
  CHECK(std::vector<int32_t>(read.source_prefix.begin(), read.source_prefix.end()) == layout.source_prefix);
  CHECK(std::vector<int32_t>(read.source_suffix.begin(), read.source_suffix.end()) == layout.source_suffix);
  CHECK(std::vector<int32_t>(read.forced_ids.begin(), read.forced_ids.end()) == layout.forced_ids);
  CHECK(read.start_is_target);
  CHECK(read.default_source == -1);
  CHECK(read.default_target == 0);
  REQUIRE(read.num_pairs == 1);
  CHECK(view.value().language_pair(0).source_prefix[0] == 7);
}

// The answer after one number of a shortlist's tensor was replaced.
Status open_with_number(const char* tensor, size_t index, uint32_t number) {
  ModelBuilder b = test::tiny_model_builder();
  test::AlignedBytes file = b.finish();
  std::memcpy(file.span().data() + tensor_named(b, tensor).offset + index * sizeof(number), &number, sizeof(number));
  return test::open_status(file);
}

TEST_CASE("shortlist lists that leave their bounds or order are refused") {
  CHECK(open_with_number("shortlist.ids", 1, 6).ok());
  CHECK_THAT(open_with_number("shortlist.ids", 2, 24).message(), ContainsSubstring("list of id 0"));
  CHECK_THAT(open_with_number("shortlist.ids", 2, UINT32_MAX).message(), ContainsSubstring("list of id 0"));
  CHECK_THAT(open_with_number("shortlist.ids", 1, 0).message(), ContainsSubstring("not ascending"));
  CHECK_THAT(open_with_number("shortlist.ids", 1, 23).message(), ContainsSubstring("not ascending"));
  CHECK_THAT(open_with_number("shortlist.offsets", 0, 1).message(), ContainsSubstring("wrong ends"));
  CHECK_THAT(open_with_number("shortlist.offsets", 24, 5).message(), ContainsSubstring("wrong ends"));
  CHECK_THAT(open_with_number("shortlist.offsets", 3, UINT32_MAX).message(), ContainsSubstring("list of id 2"));
  CHECK_THAT(open_with_number("shortlist.offsets", 3, 0).message(), ContainsSubstring("list of id 2"));
}

}  // namespace
}  // namespace dragoman
