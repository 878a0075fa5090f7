// Beam search over hand-made scores: against enumeration of everything, by both rules, alone and in company.
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "tests/unit/search/search_support.h"

namespace dragoman::search {
namespace {

using model::BeamRule;
using model::EarlyStopping;

constexpr BeamRule kRules[] = {BeamRule::kMarian, BeamRule::kHuggingFace};

double log_softmax(const std::vector<float>& logits, size_t id) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  return static_cast<double>(logits[id]) - std::log(sum);
}

// Every output up to a length, with its rank score.
void enumerate(const TableNetwork& network, size_t max_ids, double length_penalty, std::vector<int32_t>* prefix,
               double sum, std::map<std::vector<int32_t>, double>* all) {
  const std::vector<float> logits = network.scores(0, *prefix);
  for (size_t id = 0; id < logits.size(); ++id) {
    const double total = sum + log_softmax(logits, id);
    prefix->push_back(static_cast<int32_t>(id));
    if (id == kEnd || prefix->size() == max_ids) {
      (*all)[*prefix] = total / std::pow(static_cast<double>(prefix->size()), length_penalty);
    } else {
      enumerate(network, max_ids, length_penalty, prefix, total, all);
    }
    prefix->pop_back();
  }
}

TEST_CASE("DC-02: a wide beam finds the best of all outputs, whatever the length penalty") {
  Fixture fixture(limits_of(3));
  for (uint64_t seed = 0; seed < 60; ++seed) {
    fixture.network.scores = [seed](uint32_t sentence, const std::vector<int32_t>& history) {
      return scrambled(seed, sentence, history, 3);
    };
    for (const BeamRule rule : kRules) {
      for (const float penalty : {0.0f, 0.6f, 1.0f, 1.7f}) {
        SearchOptions options;
        options.beam_size = 32;
        options.num_hypotheses = 32;
        options.beam_rule = rule;
        options.early_stopping = EarlyStopping::kWhenImpossible;
        options.length_penalty = penalty;
        std::map<std::vector<int32_t>, double> all;
        std::vector<int32_t> prefix;
        enumerate(fixture.network, 4, static_cast<double>(penalty), &prefix, 0, &all);
        const std::vector<Found> found = fixture.decode(options, 4);
        INFO("seed " << seed << ", rule " << static_cast<int>(rule) << ", penalty " << penalty);
        // 1 + 2 + 4 outputs that end earlier, 24 of length 4: all of them fit a beam of 32.
        REQUIRE(found.size() == all.size());
        for (const Found& one : found) {
          REQUIRE(all.count(one.ids) == 1);
          REQUIRE(std::fabs(static_cast<double>(one.rank_score) - all.at(one.ids)) < 1e-5);
        }
        for (const auto& [ids, score] : all) REQUIRE(static_cast<double>(found[0].rank_score) > score - 1e-5);
        for (size_t i = 1; i < found.size(); ++i) REQUIRE(found[i - 1].rank_score >= found[i].rank_score);
      }
    }
  }
}

TEST_CASE("DC-02: a finished hypothesis does not end the search while a longer one can still win") {
  // P(end) = 0.5, P(x) = 0.4; after x P(y) = 0.95; after x y P(end) = 0.95.
  Fixture fixture(limits_of(4));
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>& history) {
    if (history.empty()) return logs({0.5, 0.4, 0.05, 0.05});
    if (history == std::vector<int32_t>{1}) return logs({0.02, 0.01, 0.95, 0.02});
    if (history == std::vector<int32_t>{1, 2}) return logs({0.95, 0.02, 0.02, 0.01});
    return logs({0.25, 0.25, 0.25, 0.25});
  };
  for (const BeamRule rule : kRules) {
    for (const EarlyStopping stop : {EarlyStopping::kWhenUnlikely, EarlyStopping::kWhenImpossible}) {
      SearchOptions options;
      options.beam_size = 2;
      options.beam_rule = rule;
      options.early_stopping = stop;
      options.length_penalty = 1.0f;
      std::vector<Found> found = fixture.decode(options, 8);
      CHECK(found[0].ids == std::vector<int32_t>{1, 2, kEnd});
      CHECK(std::fabs(found[0].rank_score - -0.339626f) < 2e-6f);
      options.length_penalty = 0.0f;
      found = fixture.decode(options, 8);
      CHECK(found[0].ids == std::vector<int32_t>{kEnd});
      CHECK(std::fabs(found[0].rank_score - -0.693147f) < 2e-6f);
    }
  }
}

TEST_CASE("Hugging Face's beam stays full and stops early as it is told; Marian's shrinks") {
  // Two short outputs end at once; a long one would be better by score per id.
  Fixture fixture(limits_of(4));
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>& history) {
    if (history.empty()) return logs({0.3, 0.65, 0.03, 0.02});
    if (history.size() == 1) return logs({0.45, 0.5, 0.03, 0.02});
    if (history.size() < 6) return logs({0.004, 0.99, 0.003, 0.003});
    return logs({0.99, 0.004, 0.003, 0.003});
  };
  SearchOptions options;
  options.beam_size = 2;
  options.beam_rule = BeamRule::kHuggingFace;
  options.early_stopping = EarlyStopping::kAtOnce;
  CHECK(fixture.decode(options, 12)[0].ids == std::vector<int32_t>{1, kEnd});
  CHECK(fixture.network.calls.size() == 2);
  fixture.network.calls.clear();
  options.early_stopping = EarlyStopping::kWhenUnlikely;
  CHECK(fixture.decode(options, 12)[0].ids.size() == 7);
  for (size_t t = 1; t < fixture.network.calls.size(); ++t) CHECK(fixture.network.calls[t].size() == 2);
  fixture.network.calls.clear();
  options.beam_rule = BeamRule::kMarian;
  const std::vector<Found> found = fixture.decode(options, 12);
  CHECK(fixture.network.calls.size() == 7);
  for (size_t t = 1; t < fixture.network.calls.size(); ++t) CHECK(fixture.network.calls[t].size() == 1);
  CHECK(found[0].ids.size() == 7);
}

TEST_CASE("the word penalty and the length penalty rank as Marian has it") {
  Fixture fixture(limits_of(6));
  fixture.network.scores = [](uint32_t sentence, const std::vector<int32_t>& history) {
    return scrambled(7, sentence, history, 6);
  };
  SearchOptions options;
  options.beam_size = options.num_hypotheses = 6;
  options.length_penalty = 0.7f;
  options.word_penalty = 0.25f;
  for (const Found& one : fixture.decode(options, 8)) {
    const double length = static_cast<double>(one.ids.size());
    const double expected = (static_cast<double>(one.score) - 0.25 * length) / std::pow(length, double{0.7f});
    CHECK(std::fabs(static_cast<double>(one.rank_score) - expected) < 1e-6);
  }
}

TEST_CASE("equal scores are chosen by row, then by id") {
  Fixture fixture(limits_of(5));
  fixture.network.scores = [](uint32_t, const std::vector<int32_t>&) { return std::vector<float>(5, 1.0f); };
  for (const BeamRule rule : kRules) {
    SearchOptions options;
    options.beam_size = options.num_hypotheses = 3;
    options.beam_rule = rule;
    options.constraints.min_length = 2;
    const std::vector<Found> found = fixture.decode(options, 3);
    CHECK(found[0].ids == std::vector<int32_t>{1, 1, kEnd});
    CHECK(found[1].ids == std::vector<int32_t>{1, 1, 1});
  }
}

TEST_CASE("DC-04: beams wider than the vocabulary or the shortlist are clipped") {
  for (const bool shortlist : {false, true}) {
    Fixture fixture(limits_of(20));
    if (shortlist) fixture.network.allowed = {kEnd, 3, 7};
    fixture.network.scores = [](uint32_t sentence, const std::vector<int32_t>& history) {
      return scrambled(3, sentence, history, 20);
    };
    for (const BeamRule rule : kRules) {
      for (const bool logits : {false, true}) {
        SearchOptions options;
        options.beam_size = options.num_hypotheses = 32;
        options.beam_rule = rule;
        if (logits) options.constraints.no_repeat_ngram = 50;
        const std::vector<Found> found = fixture.decode(options, 5);
        CHECK(found.size() == 32);
        CHECK(fixture.decode(options, 1).size() == (shortlist ? 3u : 20u));
        for (const Found& one : found) CHECK((!one.ids.empty() && one.ids.size() <= 5));
      }
    }
  }
}

TEST_CASE("all logits and the best ones alone give the same bits") {
  Fixture fixture(limits_of(12));
  fixture.network.suppressed = {4};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    fixture.network.scores = [seed](uint32_t sentence, const std::vector<int32_t>& history) {
      return scrambled(seed, sentence, history, 12);
    };
    for (const BeamRule rule : kRules) {
      for (const size_t beam : {1, 2, 5}) {
        SearchOptions options;
        options.beam_size = options.num_hypotheses = beam;
        options.beam_rule = rule;
        options.constraints.min_length = 2;
        const std::vector<Found> plain = fixture.decode(options, 9);
        options.constraints.no_repeat_ngram = 50;  // never happens, but looks at all logits
        CHECK(fixture.decode(options, 9) == plain);
      }
    }
  }
}

// All sentences, at most `batch` at once, started in this order.
std::vector<std::vector<Found>> decode_all(const SearchOptions& options, const std::vector<uint64_t>& order,
                                           size_t batch) {
  Fixture fixture(limits_of(9, 16, batch));
  std::vector<uint64_t> in_slot(batch, 0);
  std::vector<bool> busy(batch, false);
  fixture.network.scores = [&in_slot](uint32_t slot, const std::vector<int32_t>& history) {
    return scrambled(in_slot[slot], 0, history, 9);
  };
  REQUIRE(fixture.search.configure(options).ok());
  std::vector<std::vector<Found>> results(order.size());
  size_t next = 0;
  while (next < order.size() || fixture.search.num_live() > 0) {
    for (uint32_t slot = 0; slot < batch && next < order.size(); ++slot) {
      if (busy[slot]) continue;
      busy[slot] = true;
      in_slot[slot] = order[next++];
      DecodeRequest request;
      request.sentence = slot;
      request.max_ids = 3 + in_slot[slot] % 11;
      request.sampling_key = in_slot[slot];
      fixture.search.start(request);
    }
    const size_t count = fixture.search.advance(fixture.network, fixture.finished).value();
    for (size_t i = 0; i < count; ++i) {
      busy[fixture.finished[i]] = false;
      results[in_slot[fixture.finished[i]]] = fixture.found(fixture.finished[i]);
    }
  }
  return results;
}

TEST_CASE("a sentence's result does not depend on its company, beam and sampling alike") {
  std::vector<uint64_t> order(40);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<SearchOptions> kinds(4);
  kinds[0].beam_size = kinds[0].num_hypotheses = 4;
  kinds[1] = kinds[0];
  kinds[1].beam_rule = BeamRule::kHuggingFace;
  kinds[2] = kinds[1];
  kinds[2].constraints.no_repeat_ngram = 2;
  kinds[3].sampling.enabled = true;
  kinds[3].num_hypotheses = 3;
  for (const SearchOptions& options : kinds) {
    const auto alone = decode_all(options, order, 1);
    for (const size_t batch : {2, 7, 32}) {
      CHECK(decode_all(options, order, batch) == alone);
      const std::vector<uint64_t> reversed(order.rbegin(), order.rend());
      CHECK(decode_all(options, reversed, batch) == alone);
    }
  }
}

}  // namespace
}  // namespace dragoman::search
