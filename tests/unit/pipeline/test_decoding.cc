// Every way of decoding through the C interface: the model's defaults, refusals, company, and no allocation.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "dragoman/dragoman.hpp"
#include "tests/support/allocation_counter.h"
#include "tests/support/model_builder.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::vector<std::string> kTexts = {"a b c", "abc", "t s r q p", "a.", "k l m n o", "e e e e", "b", "d o g."};

// A decoded segment; the score's bits count.
struct Result {
  size_t input;
  uint32_t hypothesis;
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
  float score, rank_score;
  bool operator==(const Result&) const = default;
};

struct Opened {
  explicit Opened(test::ModelBuilder builder = test::tiny_model_builder())
      : file(builder.finish()), model(open(file)) {}
  static Model open(const test::AlignedBytes& file) {
    Expected<Model> opened = Model::open_memory(file.span().data(), file.size());
    INFO(opened.error().message());
    REQUIRE(opened.ok());
    return std::move(*opened);
  }
  Session session(const SessionOptions& options) {
    Expected<Session> created = Session::create(model, options);
    INFO(created.error().message());
    REQUIRE(created.ok());
    return std::move(*created);
  }
  test::AlignedBytes file;
  Model model;
};

std::vector<dragoman_text> texts_of(const std::vector<std::string>& texts) {
  std::vector<dragoman_text> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back({text.data(), text.size()});
  return out;
}

Result result_of(const Segment& s) {
  return {s.input, s.hypothesis, {s.ids, s.ids + s.num_ids}, {s.log_probs, s.log_probs + s.num_ids},
          s.score, s.rank_score};
}

auto keep_in(std::vector<Result>* results) {
  return [results](const Segment& s) {
    results->push_back(result_of(s));
    return true;
  };
}

std::vector<Result> translate(Session* session, const TranslateOptions& options) {
  std::vector<Result> results;
  const std::vector<dragoman_text> texts = texts_of(kTexts);
  const Error error =
      session->translate(texts.data(), texts.size(), options, keep_in(&results), [](const InputEnd&) { return true; });
  INFO(error.message());
  REQUIRE(error.ok());
  return results;
}

SessionOptions session_options(uint32_t batch) {
  SessionOptions options = Session::default_options();
  options.max_batch = batch;
  options.max_beam = options.max_n_best = 4;
  options.full_logits = true;
  return options;
}

// One of each kind.
std::vector<TranslateOptions> kinds() {
  std::vector<TranslateOptions> all(6, Session::default_translate_options());
  all[1].beam = all[1].n_best = 4;
  all[2] = all[1];
  all[2].beam_rule = DRAGOMAN_BEAM_HUGGING_FACE;
  all[3] = all[2];
  all[3].no_repeat_ngram = 2;
  all[3].repetition_penalty = 1.3f;
  all[3].shortlist = false;
  all[4].sample = true;
  all[4].n_best = 2;
  all[4].top_p = 0.9f;
  all[5].beam = 2;
  all[5].force_end = 1;
  all[5].max_length = 3;
  return all;
}

TEST_CASE("decoding gives the same bits whatever the batch, in every mode") {
  Opened opened;
  for (const TranslateOptions& options : kinds()) {
    Session alone = opened.session(session_options(1));
    const std::vector<Result> expected = translate(&alone, options);
    CHECK(expected.size() >= kTexts.size());
    for (const uint32_t batch : {2u, 3u, 7u, 32u}) {
      Session session = opened.session(session_options(batch));
      CHECK(translate(&session, options) == expected);
      CHECK(translate(&session, options) == expected);
    }
  }
}

TEST_CASE("decoding allocates nothing, in every mode") {
  if (!test::allocation_counter_works()) {
    WARN("allocations cannot be counted in this build");
    return;
  }
  Opened opened;
  const std::vector<dragoman_text> texts = texts_of(kTexts);
  for (const uint32_t batch : {1u, 4u}) {
    Session session = opened.session(session_options(batch));
    for (const TranslateOptions& options : kinds()) {
      test::reset_allocation_count();
      const Error error = session.translate(
          texts.data(), texts.size(), options, [](const Segment&) { return true; },
          [](const InputEnd&) { return true; });
      const size_t count = test::allocation_count();
      REQUIRE(error.ok());
      CHECK(count == 0);
    }
    test::reset_allocation_count();
    const Error error = session.score(
        texts.data(), texts.data(), texts.size(), Session::default_translate_options(),
        [](const Segment&) { return true; }, [](const InputEnd&) { return true; });
    const size_t count = test::allocation_count();
    REQUIRE(error.ok());
    CHECK(count == 0);
  }
}

TEST_CASE("what the caller leaves open is the model's") {
  test::ModelBuilder builder = test::tiny_model_builder();
  schema::GenerationT& generation = *builder.model.generation;
  generation.beam_size = 3;
  generation.beam_rule = schema::BeamRule::HuggingFace;
  generation.length_penalty = 0.5f;
  generation.forced_ids = {5};
  generation.max_length = 6;
  generation.no_repeat_ngram = 2;
  Opened own(std::move(builder));
  Opened plain;
  SessionOptions options = Session::default_options();
  options.max_n_best = 2;
  Session own_session = own.session(options);
  options.max_beam = 3;
  options.full_logits = true;
  Session plain_session = plain.session(options);
  TranslateOptions left_open = Session::default_translate_options();
  left_open.n_best = 2;
  TranslateOptions told = left_open;
  told.beam = 3;
  told.beam_rule = DRAGOMAN_BEAM_HUGGING_FACE;
  told.length_penalty = 0.5f;
  const int32_t forced = 5;
  told.forced_ids = &forced;
  told.num_forced_ids = 1;
  told.max_length = 6;
  told.no_repeat_ngram = 2;
  const std::vector<Result> found = translate(&own_session, left_open);
  CHECK(found == translate(&plain_session, told));
  CHECK(found != translate(&plain_session, left_open));
  for (const Result& result : found) CHECK((result.ids[0] == 5 && result.ids.size() <= 6));
}

std::vector<Result> score(Session* session, const std::vector<std::string>& targets) {
  std::vector<Result> results;
  const std::vector<dragoman_text> sources = texts_of(kTexts);
  const std::vector<dragoman_text> given = texts_of(targets);
  const Error error = session->score(sources.data(), given.data(), sources.size(), Session::default_translate_options(),
                                     keep_in(&results), [](const InputEnd&) { return true; });
  INFO(error.message());
  REQUIRE(error.ok());
  return results;
}

TEST_CASE("a given translation is scored id by id, the same in every batch") {
  Opened opened;
  const std::vector<std::string> targets(kTexts.rbegin(), kTexts.rend());
  Session session = opened.session(session_options(1));
  const std::vector<Result> results = score(&session, targets);
  REQUIRE(results.size() == kTexts.size());
  for (const Result& result : results) {
    std::vector<int32_t> ids = *opened.model.tokenize(DRAGOMAN_TARGET, targets[result.input]);
    ids.push_back(0);
    CHECK(result.ids == ids);
    float sum = 0;
    for (const float log_prob : result.log_probs) {
      CHECK((log_prob < 0 && std::isfinite(log_prob)));
      sum += log_prob;
    }
    CHECK(result.score == sum);
  }
  Session batch = opened.session(session_options(5));
  CHECK(score(&batch, targets) == results);
}

void require_refused(Session* session, const TranslateOptions& options, dragoman_code code, const char* name) {
  const Expected<std::string> result = session->translate("a", options);
  INFO(name);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == code);
  CHECK_THAT(result.error().message(), ContainsSubstring(name));
}

// Three ways to keep the last four ids out of the output.
TEST_CASE("CV-12: rows of the table behind the vocabulary take no part in softmax") {
  const auto built = [](auto change) {
    test::ModelBuilder builder = test::tiny_model_builder();
    schema::GenerationT& generation = *builder.model.generation;
    generation.suppressed.clear();
    generation.beam_size = 2;
    change(generation);
    return Opened(std::move(builder));
  };
  Opened rows = built([](auto& g) { g.num_token_ids = 20, g.score_over_all = true; });
  Opened masked = built([](auto& g) { g.suppressed = {20, 21, 22, 23}; });
  Opened counted = built([](auto& g) { g.suppressed = {20, 21, 22, 23}, g.score_over_all = true; });
  Opened free = built([](auto&) {});
  for (const bool shortlist : {true, false}) {
    for (const uint32_t beam : {1u, 4u}) {
      for (const int32_t ngram : {0, 3}) {
        TranslateOptions options = Session::default_translate_options();
        options.shortlist = shortlist;
        options.beam = beam;
        options.no_repeat_ngram = ngram;
        const auto decoded = [&options](Opened& opened) {
          Session session = opened.session(session_options(3));
          return translate(&session, options);
        };
        const std::vector<Result> found = decoded(rows);
        for (const Result& one : found) {
          for (const int32_t id : one.ids) CHECK(id < 20);
        }
        if (shortlist) continue;  // a list may not name them at all
        CHECK(found == decoded(masked));
        CHECK(found != decoded(counted));
        CHECK(found != decoded(free));
      }
    }
  }
}

TEST_CASE("DC-04: options that a session or model cannot follow are refused by name") {
  Opened opened;
  SessionOptions small = Session::default_options();
  Session session = opened.session(small);
  const auto refused = [&session](dragoman_code code, const char* name, auto change) {
    TranslateOptions options = Session::default_translate_options();
    change(options);
    require_refused(&session, options, code, name);
  };
  const int32_t outside[] = {24};
  refused(DRAGOMAN_INVALID_ARGUMENT, "beam", [](auto& o) { o.beam = 2; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "n_best", [](auto& o) { o.n_best = 2; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "length_penalty", [](auto& o) { o.length_penalty = NAN; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "max_length_factor", [](auto& o) { o.max_length_factor = NAN; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "max_length", [](auto& o) { o.max_length = 1000000; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "coverage_penalty", [](auto& o) { o.coverage_penalty = 0.2f; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "coverage_penalty", [](auto& o) { o.coverage_penalty = -1.0f; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "attention", [](auto& o) { o.attention = true; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "full_logits", [](auto& o) { o.sample = true; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "full_logits", [](auto& o) { o.no_repeat_ngram = 2; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "forced_ids", [&](auto& o) { o.forced_ids = outside, o.num_forced_ids = 1; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "bad_words", [&](auto& o) { o.bad_words = outside, o.num_bad_words = 1; });
  refused(DRAGOMAN_INVALID_ARGUMENT, "null", [](auto& o) { o.num_bad_words = 1; });
  CHECK(session.translate("a").ok());
  for (const uint32_t beam : {33u, 4000000000u}) {
    small.max_beam = beam;
    CHECK_THAT(Session::create(opened.model, small).error().message(), ContainsSubstring("max_beam"));
  }
}

TEST_CASE("DC-04: beams wider than the vocabulary of 24") {
  Opened opened;
  SessionOptions options = Session::default_options();
  options.max_beam = options.max_n_best = 32;
  Session session = opened.session(options);
  TranslateOptions wide = Session::default_translate_options();
  wide.beam = wide.n_best = 32;
  CHECK(translate(&session, wide).size() > kTexts.size() * 8);
}

}  // namespace
}  // namespace dragoman
