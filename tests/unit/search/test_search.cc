// Greedy search, forced ids, limits and refusals over hand-made scores.
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/search/search_support.h"

namespace dragoman::search {
namespace {

// Each sentence has a script: the id that is best at each position.
Scores scripts(std::vector<std::vector<int32_t>> all, size_t vocabulary) {
  return [all = std::move(all), vocabulary](uint32_t sentence, const std::vector<int32_t>& history) {
    std::vector<float> logits(vocabulary, 0.0f);
    logits[static_cast<size_t>(all[sentence].at(history.size()))] = 2.0f;
    return logits;
  };
}

TEST_CASE("a sentence ends at its end id, which counts") {
  Fixture fixture(limits_of(8));
  fixture.network.scores = scripts({{4, 5, kEnd}}, 8);
  const std::vector<Found> found = fixture.decode({}, 10);
  REQUIRE(found.size() == 1);
  CHECK(found[0].ids == std::vector<int32_t>{4, 5, kEnd});
  CHECK_FALSE(found[0].reached_limit);
  CHECK(found[0].score == found[0].log_probs[0] + found[0].log_probs[1] + found[0].log_probs[2]);
  CHECK(found[0].rank_score == static_cast<float>(static_cast<double>(found[0].score) / 3));
}

TEST_CASE("rows carry the history") {
  Fixture fixture(limits_of(8));
  fixture.network.scores = scripts({{4, kEnd}}, 8);
  DecodeRequest request;
  request.max_ids = 10;
  request.start_id = 7;
  fixture.decode({}, request);
  REQUIRE(fixture.network.calls.size() == 2);
  const engine::StepRow first = fixture.network.calls[0][0];
  CHECK((first.previous_id == 7 && first.position == 0 && first.parent == -1 && first.slot == 0));
  const engine::StepRow second = fixture.network.calls[1][0];
  CHECK((second.previous_id == 4 && second.position == 1 && second.parent == 0 && second.slot == 0));
}

TEST_CASE("the limit ends a sentence and says so, unless the end id takes the last place") {
  Fixture fixture(limits_of(8));
  fixture.network.scores = scripts({{4, 5, 6}}, 8);
  std::vector<Found> found = fixture.decode({}, 2);
  CHECK(found[0].ids == std::vector<int32_t>{4, 5});
  CHECK(found[0].reached_limit);
  fixture.network.scores = scripts({{4, kEnd}}, 8);
  found = fixture.decode({}, 2);
  CHECK_FALSE(found[0].reached_limit);
}

TEST_CASE("the end can be forced into the last place, at no cost") {
  Fixture fixture(limits_of(8));
  fixture.network.scores = scripts({{4, 5, 6}}, 8);
  for (const size_t beam : {1, 3}) {
    SearchOptions options;
    options.force_end = true;
    options.beam_size = beam;
    const std::vector<Found> found = fixture.decode(options, 3);
    CHECK(found[0].ids == std::vector<int32_t>{4, 5, kEnd});
    CHECK(found[0].log_probs[2] == 0);
    CHECK(found[0].reached_limit);
  }
}

TEST_CASE("a forced end that the sentence would have taken anyway is no limit") {
  Fixture fixture(limits_of(8));
  fixture.network.scores = scripts({{4, 5, kEnd}}, 8);
  for (const size_t beam : {1, 3}) {
    for (const float penalty : {1.0f, 1.1f}) {  // the second looks at all logits
      SearchOptions options;
      options.force_end = true;
      options.beam_size = beam;
      options.constraints.repetition_penalty = penalty;
      CHECK_FALSE(fixture.decode(options, 3)[0].reached_limit);
      CHECK(fixture.decode(options, 2)[0].reached_limit);
    }
  }
}

TEST_CASE("slots are refilled while others go on") {
  Fixture fixture(limits_of(8, 16, 2));
  fixture.network.scores = scripts({{4, 4, 4, kEnd}, {kEnd}}, 8);
  REQUIRE(fixture.search.configure({}).ok());
  DecodeRequest request;
  request.max_ids = 10;
  fixture.search.start(request);
  request.sentence = 1;
  for (size_t round = 0; round < 3; ++round) {
    fixture.search.start(request);
    REQUIRE(fixture.search.advance(fixture.network, fixture.finished).value() == 1);
    CHECK(fixture.finished[0] == 1);
    CHECK(fixture.search.num_live() == 1);
  }
  REQUIRE(fixture.search.advance(fixture.network, fixture.finished).value() == 1);
  CHECK(fixture.finished[0] == 0);
}

TEST_CASE("forced ids begin every hypothesis at no cost, and the minimum length counts after them") {
  Fixture fixture(limits_of(8));
  fixture.network.scores = scripts({{kEnd, kEnd, kEnd, kEnd}}, 8);
  for (const size_t beam : {1, 4}) {
    SearchOptions options;
    options.beam_size = beam;
    options.constraints.min_length = 1;
    const std::vector<int32_t> forced = {6, 5};
    DecodeRequest request;
    request.max_ids = 10;
    request.forced_ids = forced;
    const std::vector<Found> found = fixture.decode(options, request);
    REQUIRE(found[0].ids.size() == 4);
    CHECK((found[0].ids[0] == 6 && found[0].ids[1] == 5 && found[0].ids[2] == 1 && found[0].ids[3] == kEnd));
    CHECK((found[0].log_probs[0] == 0 && found[0].log_probs[1] == 0 && found[0].log_probs[2] < -1));
  }
}

TEST_CASE("a given output is scored as it is, suppressed ids included") {
  Fixture fixture(limits_of(4));
  fixture.network.suppressed = {3};
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>&) { return logs({0.1, 0.2, 0.3, 0.4}); };
  SearchOptions options;
  options.score_forced = true;
  const std::vector<int32_t> output = {2, 3, kEnd};
  DecodeRequest request;
  request.max_ids = output.size();
  request.forced_ids = output;
  const std::vector<Found> found = fixture.decode(options, request);
  CHECK(found[0].ids == output);
  CHECK(std::fabs(found[0].score - std::log(0.3f * 0.4f * 0.1f)) < 1e-6f);
  CHECK(std::fabs(found[0].log_probs[1] - std::log(0.4f)) < 1e-6f);
}

TEST_CASE("DC-11: the empty translation of a sentence that has words is not the best") {
  // P(end) = 0.31 at once; else twelve ids with a total log-probability of -8.2, end included.
  Fixture fixture(limits_of(14, 20));
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>& history) {
    std::vector<double> p(14, 0.0);
    const double share = std::exp(-8.2 / 12);
    const size_t next = history.size() < 11 ? history.size() + 1 : size_t{kEnd};
    p[next] = share;
    if (history.empty()) p[kEnd] = 0.31;
    p[13] += 1 - share - (history.empty() ? 0.31 : 0);
    return logs(p);
  };
  fixture.network.suppressed = {};
  for (const model::BeamRule rule : {model::BeamRule::kMarian, model::BeamRule::kHuggingFace}) {
    SearchOptions options;
    options.beam_size = 8;
    options.beam_rule = rule;
    options.length_penalty = 0.6f;
    std::vector<Found> found = fixture.decode(options, 12);
    CHECK(found[0].ids == std::vector<int32_t>{kEnd});
    options.constraints.min_length = 1;
    found = fixture.decode(options, 12);
    CHECK(found[0].ids.size() > 1);
  }
}

TEST_CASE("DC-11: where nothing but the end is left, it comes before the minimum length") {
  Fixture fixture(limits_of(4));
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>&) { return logs({1, 0, 0, 0}); };
  SearchOptions options;
  options.constraints.min_length = 2;
  CHECK(fixture.decode(options, 5)[0].ids == std::vector<int32_t>{kEnd});
}

TEST_CASE("DC-11: scores that are not finite are an error naming the step") {
  for (const float bad : {kMasked, std::numeric_limits<float>::quiet_NaN()}) {
    for (const size_t beam : {1, 4}) {
      Fixture fixture(limits_of(5));
      fixture.network.scores = [bad](uint32_t, const std::vector<int32_t>& history) {
        return history.size() == 1 ? std::vector<float>(5, bad) : std::vector<float>{-9, 0, 0, 0, 0};
      };
      SearchOptions options;
      options.beam_size = beam;
      REQUIRE(fixture.search.configure(options).ok());
      DecodeRequest request;
      request.max_ids = 9;
      fixture.search.start(request);
      REQUIRE(fixture.search.advance(fixture.network, fixture.finished).ok());
      const Result<size_t> result = fixture.search.advance(fixture.network, fixture.finished);
      REQUIRE_FALSE(result.ok());
      CHECK(result.status().code() == Code::kNumerical);
      CHECK(std::string(result.status().message()).find("step 1") != std::string::npos);
    }
  }
}

void require_refused(const SearchOptions& options, const SearchLimits& limits, const char* name) {
  const Status status = check(options, limits);
  INFO(name);
  REQUIRE(status.code() == Code::kInvalidArgument);
  CHECK(std::string(status.message()).find(name) != std::string::npos);
}

TEST_CASE("DC-04: extreme options are refused by name") {
  const SearchLimits limits = limits_of(20);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto with = [](auto change) {
    SearchOptions options;
    change(options);
    return options;
  };
  require_refused(with([](SearchOptions& o) { o.beam_size = 0; }), limits, "beam");
  require_refused(with([](SearchOptions& o) { o.beam_size = 50; }), limits, "beam");
  require_refused(with([](SearchOptions& o) { o.num_hypotheses = 2; }), limits, "n_best");
  require_refused(with([](SearchOptions& o) { o.num_hypotheses = 0; }), limits, "n_best");
  require_refused(with([nan](SearchOptions& o) { o.length_penalty = nan; }), limits, "length_penalty");
  require_refused(with([](SearchOptions& o) { o.word_penalty = 1e9f; }), limits, "word_penalty");
  require_refused(with([](SearchOptions& o) { o.constraints.repetition_penalty = -1; }), limits, "repetition_penalty");
  require_refused(with([](SearchOptions& o) { o.constraints.repetition_penalty = 0; }), limits, "repetition_penalty");
  const auto sampling = [](auto change) {
    SearchOptions options;
    options.sampling.enabled = true;
    change(options.sampling);
    return options;
  };
  require_refused(sampling([](Sampling& s) { s.temperature = 0; }), limits, "temperature");
  require_refused(sampling([nan](Sampling& s) { s.temperature = nan; }), limits, "temperature");
  require_refused(sampling([](Sampling& s) { s.top_p = 0; }), limits, "top_p");
  require_refused(sampling([](Sampling& s) { s.min_p = 2; }), limits, "min_p");
  SearchLimits no_logits = limits;
  no_logits.vocabulary = 0;
  require_refused(sampling([](Sampling&) {}), no_logits, "sampling");
  require_refused(with([](SearchOptions& o) { o.constraints.no_repeat_ngram = 2; }), no_logits, "constraints");
  require_refused(with([](SearchOptions& o) { o.score_forced = true; }), no_logits, "scoring");
}

}  // namespace
}  // namespace dragoman::search
