// Attention kept beside the trellis and the coverage penalty, over hand-made scores and attention.
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/search/search_support.h"

namespace dragoman::search {
namespace {

constexpr size_t kSource = 5;

// Probabilities that depend on sentence and history alone; one source id gets nothing.
std::vector<float> attended(uint32_t sentence, const std::vector<int32_t>& history) {
  std::vector<float> weights = scrambled(77, sentence, history, kSource);
  float sum = 0;
  for (size_t i = 0; i < kSource; ++i) {
    weights[i] = i == 3 ? 0.0f : std::exp(3.0f * weights[i]);
    sum += weights[i];
  }
  for (float& weight : weights) weight /= sum;
  return weights;
}

// Wu et al. 2016, equation 14, written down again.
double coverage(const std::vector<int32_t>& ids, uint32_t sentence) {
  double total = 0;
  for (size_t i = 0; i < kSource; ++i) {
    double sum = 0;
    for (size_t t = 0; t < ids.size(); ++t) {
      sum += static_cast<double>(attended(sentence, {ids.begin(), ids.begin() + static_cast<ptrdiff_t>(t)})[i]);
    }
    if (sum > 0) total += std::log(std::min(sum, 1.0));
  }
  return total;
}

SearchLimits limits_with_attention(size_t vocabulary, size_t sentences = 1) {
  SearchLimits limits = limits_of(vocabulary, 16, sentences);
  limits.source_length = 8;
  return limits;
}

void prepare(Fixture* fixture, uint64_t seed) {
  fixture->attention_source = kSource;
  fixture->network.attention = attended;
  fixture->network.scores = [seed](uint32_t sentence, const std::vector<int32_t>& history) {
    return scrambled(seed, sentence, history, 4);
  };
}

TEST_CASE("a hypothesis comes with the attention of its own ids, however rows changed places") {
  Fixture fixture(limits_with_attention(4));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    prepare(&fixture, seed);
    for (const model::BeamRule rule : {model::BeamRule::kMarian, model::BeamRule::kHuggingFace}) {
      SearchOptions options;
      options.beam_size = options.num_hypotheses = 6;
      options.beam_rule = rule;
      options.keep_attention = true;
      for (const Found& one : fixture.decode(options, 7)) {
        std::vector<float> expected;
        for (size_t t = 0; t < one.ids.size(); ++t) {
          const std::vector<float> row = attended(0, {one.ids.begin(), one.ids.begin() + static_cast<ptrdiff_t>(t)});
          expected.insert(expected.end(), row.begin(), row.end());
        }
        REQUIRE(one.attention == expected);
      }
    }
  }
}

TEST_CASE("the coverage penalty is added to the rank score of every hypothesis and orders them") {
  Fixture fixture(limits_with_attention(4));
  size_t reordered = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    prepare(&fixture, seed);
    SearchOptions options;
    options.beam_size = options.num_hypotheses = 8;
    options.early_stopping = model::EarlyStopping::kWhenImpossible;
    options.beam_rule = model::BeamRule::kHuggingFace;
    const std::vector<Found> plain = fixture.decode(options, 5);
    options.coverage_penalty = 0.7f;
    const std::vector<Found> found = fixture.decode(options, 5);
    for (size_t i = 0; i < found.size(); ++i) {
      const double expected = static_cast<double>(found[i].score) / static_cast<double>(found[i].ids.size()) +
                              static_cast<double>(options.coverage_penalty) * coverage(found[i].ids, 0);
      REQUIRE(std::fabs(static_cast<double>(found[i].rank_score) - expected) < 1e-5);
      if (i > 0) REQUIRE(found[i - 1].rank_score >= found[i].rank_score);
    }
    reordered += found[0].ids != plain[0].ids ? 1 : 0;
  }
  CHECK(reordered > 0);
}

TEST_CASE("coverage and attention do not depend on the other sentences") {
  Fixture fixture(limits_with_attention(4, 4));
  prepare(&fixture, 3);
  SearchOptions options;
  options.beam_size = options.num_hypotheses = 4;
  options.coverage_penalty = 0.4f;
  options.keep_attention = true;
  std::vector<std::vector<Found>> alone;
  for (uint32_t s = 0; s < 4; ++s) alone.push_back(fixture.decode(options, 9, s));
  REQUIRE(fixture.search.configure(options).ok());
  for (uint32_t s = 0; s < 4; ++s) {
    DecodeRequest request;
    request.sentence = 3 - s;
    request.max_ids = 9;
    request.end_id = kEnd;
    request.source_length = kSource;
    fixture.search.start(request);
  }
  while (fixture.search.num_live() > 0) REQUIRE(fixture.search.advance(fixture.network, fixture.finished).ok());
  for (uint32_t s = 0; s < 4; ++s) CHECK(fixture.found(s) == alone[s]);
}

TEST_CASE("attention is asked for only where it is needed, and refused where there is no room") {
  Fixture fixture(limits_with_attention(4));
  prepare(&fixture, 1);
  fixture.attention_source = 0;
  fixture.decode(SearchOptions(), 5);
  for (const auto& call : fixture.network.calls) {
    for (const engine::StepRow& row : call) REQUIRE(row.attention == nullptr);
  }
  SearchOptions options;
  options.keep_attention = true;
  CHECK_FALSE(check(options, limits_of(4)).ok());
  options.keep_attention = false;
  for (const float penalty : {0.1f, -0.1f, 101.0f, NAN}) {
    options.coverage_penalty = penalty;
    CHECK(check(options, limits_with_attention(4)).ok() == (penalty == 0.1f));
    CHECK_FALSE(check(options, limits_of(4)).ok());
  }
}

}  // namespace
}  // namespace dragoman::search
