// Each constraint alone, in greedy and in beam search.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "search/constraints.h"
#include "tests/unit/search/search_support.h"

namespace dragoman::search {
namespace {

std::vector<float> applied(const Constraints& constraints, const std::vector<int32_t>& history,
                           std::vector<float> values, const std::vector<int32_t>& allowed = {}) {
  std::vector<int32_t> scratch(history.size());
  apply(constraints, history, scratch, Columns{values, allowed});
  return values;
}

TEST_CASE("the repetition penalty divides positive and multiplies negative scores, once an id") {
  Constraints constraints;
  constraints.repetition_penalty = 2.0f;
  CHECK(applied(constraints, {1, 2, 1, 1}, {3, 3, -3, -3}) == std::vector<float>{3, 1.5f, -6, -3});
  CHECK(applied(constraints, {7, 2}, {3, 4, 4}, {1, 7, 9}) == std::vector<float>{3, 2, 4});
}

TEST_CASE("a repeated n-gram cannot be completed") {
  Constraints constraints;
  constraints.no_repeat_ngram = 3;
  CHECK(applied(constraints, {1, 2, 3, 1, 2}, {0, 0, 0, 0}) == std::vector<float>{0, 0, 0, kNever});
  CHECK(applied(constraints, {1, 2, 3, 2, 1}, {0, 0, 0, 0}) == std::vector<float>{0, 0, 0, 0});
  CHECK(applied(constraints, {1, 2}, {0, 0, 0, 0}) == std::vector<float>{0, 0, 0, 0});
  constraints.no_repeat_ngram = 1;
  CHECK(applied(constraints, {1, 3}, {0, 0, 0, 0}) == std::vector<float>{0, kNever, 0, kNever});
}

TEST_CASE("bad words and suppressed ids are struck out") {
  Constraints constraints;
  const std::vector<int32_t> models = {2, -1};
  const std::vector<int32_t> callers = {1, 3, -1, 5, -1, 1, 1, 0, -1};
  constraints.bad_words[0] = models;
  constraints.bad_words[1] = callers;
  CHECK(applied(constraints, {0}, {0, 0, 0, 0}) == std::vector<float>{0, 0, kNever, 0});
  CHECK(applied(constraints, {0, 1}, {0, 0, 0, 0}) == std::vector<float>{0, 0, kNever, kNever});
  CHECK(applied(constraints, {1, 1}, {0, 0, 0, 0}) == std::vector<float>{kNever, 0, kNever, kNever});
  const std::vector<int32_t> suppressed = {3, 99};
  Constraints only;
  only.suppressed = suppressed;
  CHECK(applied(only, {}, {0, 0, 0, 0}) == std::vector<float>{0, 0, 0, kNever});
}

bool repeats_ngram(const std::vector<int32_t>& ids, size_t n) {
  std::set<std::vector<int32_t>> seen;
  for (size_t i = 0; i + n <= ids.size(); ++i) {
    const auto begin = ids.begin() + static_cast<ptrdiff_t>(i);
    if (!seen.insert(std::vector<int32_t>(begin, begin + static_cast<ptrdiff_t>(n))).second) return true;
  }
  return false;
}

TEST_CASE("no hypothesis breaks a constraint") {
  Fixture fixture(limits_of(6, 24));
  const std::vector<int32_t> bad = {2, 3, -1};
  const std::vector<int32_t> suppressed = {5};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    fixture.network.scores = [seed](uint32_t sentence, const std::vector<int32_t>& history) {
      return scrambled(seed, sentence, history.empty() ? history : std::vector<int32_t>{history.back()}, 6);
    };
    for (const size_t beam : {1, 4}) {
      for (const model::BeamRule rule : {model::BeamRule::kMarian, model::BeamRule::kHuggingFace}) {
        SearchOptions options;
        options.beam_size = options.num_hypotheses = beam;
        options.beam_rule = rule;
        options.constraints.no_repeat_ngram = 2;
        options.constraints.bad_words[1] = bad;
        options.constraints.suppressed = suppressed;
        options.constraints.min_length = 3;
        for (const Found& one : fixture.decode(options, 20)) {
          CHECK_FALSE(repeats_ngram(one.ids, 2));
          CHECK(std::find(one.ids.begin(), one.ids.end(), 5) == one.ids.end());
          for (size_t i = 1; i < one.ids.size(); ++i) CHECK_FALSE((one.ids[i - 1] == 2 && one.ids[i] == 3));
          CHECK(std::find(one.ids.begin(), one.ids.end(), kEnd) - one.ids.begin() >= 3);
        }
      }
    }
  }
}

// A model that copies 5 5 9 5 5 9.
std::vector<float> copying(const std::vector<int32_t>& history) {
  const std::vector<int32_t> target = {5, 5, 9, 5, 5, 9, kEnd};
  std::vector<float> logits(10, 0.0f);
  logits[static_cast<size_t>(history.size() < target.size() ? target[history.size()] : kEnd)] = 6.0f;
  return logits;
}

TEST_CASE("DC-10: nothing is done against repetition unless asked for, and n-grams may come up to n - 1") {
  Fixture fixture(limits_of(10));
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>& history) { return copying(history); };
  const std::vector<int32_t> target = {5, 5, 9, 5, 5, 9, kEnd};
  for (const size_t beam : {1, 4}) {
    SearchOptions options;
    options.beam_size = beam;
    CHECK(fixture.decode(options, 12)[0].ids == target);
    options.constraints.no_repeat_ngram = 4;
    CHECK(fixture.decode(options, 12)[0].ids == target);
    options.constraints.no_repeat_ngram = 3;
    const std::vector<Found> found = fixture.decode(options, 12);
    CHECK(found[0].ids != target);
    CHECK(std::vector<int32_t>(found[0].ids.begin(), found[0].ids.begin() + 3) == std::vector<int32_t>{5, 5, 9});
  }
}

}  // namespace
}  // namespace dragoman::search
