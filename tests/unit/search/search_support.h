// A network of hand-made scores behind the step interface, and a search over it.
// Neighbours: every test of this folder.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "search/search.h"

namespace dragoman::search {

inline constexpr int32_t kEnd = 0;
inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

// Logits of all ids after a history (without the start id) of a sentence.
using Scores = std::function<std::vector<float>(uint32_t sentence, const std::vector<int32_t>& history)>;

// Keeps the history of every slot as the real network keeps its state: a row reads its parent's slot as it was before
// the step. So a wrong parent or slot gives other scores.
class TableNetwork final : public engine::DecoderStep {
 public:
  Scores scores;
  Scores attention;  // what a row attends to after its history
  std::vector<int32_t> suppressed;
  std::vector<int32_t> allowed;  // shortlist of every sentence
  size_t num_ids = 0;
  std::vector<std::vector<engine::StepRow>> calls;

  void step(std::span<const engine::StepRow> rows, size_t top_k, std::span<kernels::TopK> top) override {
    calls.emplace_back(rows.begin(), rows.end());
    const std::vector<std::vector<int32_t>> before = histories_;
    for (size_t i = 0; i < rows.size(); ++i) {
      const engine::StepRow& row = rows[i];
      const auto slot = static_cast<size_t>(row.slot);
      if (histories_.size() <= slot) histories_.resize(slot + 1);
      std::vector<int32_t> history;
      if (row.parent >= 0) history = before.at(static_cast<size_t>(row.parent));
      if (row.position > 0) history.push_back(row.previous_id);
      REQUIRE(history.size() == static_cast<size_t>(row.position));
      histories_[slot] = history;
      choose(row, history, top_k, &top[i]);
      if (row.attention == nullptr) continue;
      const std::vector<float> attended = attention(row.sentence, history);
      std::copy(attended.begin(), attended.end(), row.attention);
    }
  }

  std::span<const int32_t> allowed_ids(uint32_t) const override { return allowed; }
  size_t vocabulary() const override { return num_ids; }

 private:
  void choose(const engine::StepRow& row, const std::vector<int32_t>& history, size_t top_k, kernels::TopK* top) const {
    const std::vector<float> all = scores(row.sentence, history);
    std::vector<std::pair<int32_t, float>> columns;
    for (size_t c = 0; c < num_columns(row.sentence); ++c) {
      const int32_t id = allowed.empty() ? static_cast<int32_t>(c) : allowed[c];
      const bool out = row.suppress && std::find(suppressed.begin(), suppressed.end(), id) != suppressed.end();
      const float logit = all.at(static_cast<size_t>(id));
      columns.emplace_back(id, out || std::isnan(logit) ? kMasked : logit);
    }
    double sum = 0;
    for (const auto& [id, logit] : columns) sum += std::exp(static_cast<double>(logit));
    top->log_sum_exp = static_cast<float>(std::log(sum));
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].first == row.banned) columns[c].second = kMasked;
      if (row.logits != nullptr) row.logits[c] = columns[c].second;
    }
    std::stable_sort(columns.begin(), columns.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    top->count = 0;
    for (const auto& [id, logit] : columns) {
      if (top->count == top_k || !(logit > kMasked)) break;
      top->ids[top->count] = id;
      top->logits[top->count++] = logit;
    }
  }

  std::vector<std::vector<int32_t>> histories_;
};

// A hypothesis read out.
struct Found {
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
  std::vector<float> attention = {};  // of hypotheses(), where it is kept
  float score = 0;
  float rank_score = 0;
  bool reached_limit = false;

  bool operator==(const Found&) const = default;
};

struct Fixture {
  explicit Fixture(const SearchLimits& wanted) : limits(wanted) {
    Arena measure = Arena::measuring();
    Search().carve(limits, &measure);
    block.reset(new (std::align_val_t(kBufferAlignment)) std::byte[measure.used()]);
    Arena arena(block.get(), measure.used());
    search.carve(limits, &arena);
    REQUIRE_FALSE(arena.failed());
    network.num_ids = limits.vocabulary;
    finished.resize(limits.max_sentences);
  }

  // Decodes one sentence.
  std::vector<Found> decode(const SearchOptions& options, size_t max_ids, uint32_t sentence = 0) {
    DecodeRequest request;
    request.sentence = sentence;
    request.max_ids = max_ids;
    request.end_id = kEnd;
    request.source_length = attention_source;
    return decode(options, request);
  }
  std::vector<Found> decode(const SearchOptions& options, const DecodeRequest& request) {
    const Status status = search.configure(options);
    INFO(status.message());
    REQUIRE(status.ok());
    search.start(request);
    while (search.num_live() > 0) {
      const Result<size_t> count = search.advance(network, finished);
      INFO(count.status().message());
      REQUIRE(count.ok());
    }
    return found(request.sentence);
  }

  std::vector<Found> found(uint32_t sentence) const {
    std::vector<Found> all;
    for (const Hypothesis& h : search.hypotheses(sentence)) {
      Found one;
      one.ids.resize(h.num_ids);
      one.log_probs.resize(h.num_ids);
      one.score = h.score;
      one.rank_score = h.rank_score;
      one.reached_limit = h.reached_limit;
      search.read(sentence, h, one.ids, one.log_probs);
      if (attention_source > 0) {
        one.attention.resize(h.num_ids * attention_source);
        search.read_attention(sentence, h, one.attention);
      }
      all.push_back(one);
    }
    return all;
  }

  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(kBufferAlignment)); }
  };
  SearchLimits limits;
  std::unique_ptr<std::byte[], Free> block;
  Search search;
  TableNetwork network;
  std::vector<uint32_t> finished;
  size_t attention_source = 0;  // source ids of every sentence, when attention is kept
};

// max_sentences 1, max_beam 32.
inline SearchLimits limits_of(size_t vocabulary, size_t max_length = 16, size_t max_sentences = 1) {
  SearchLimits limits;
  limits.max_sentences = max_sentences;
  limits.max_beam = limits.max_hypotheses = model::kMaxBeamSize;
  limits.max_length = max_length;
  limits.vocabulary = vocabulary;
  return limits;
}

// Logits that are log-probabilities.
inline std::vector<float> logs(const std::vector<double>& probabilities) {
  std::vector<float> out;
  out.reserve(probabilities.size());
  for (const double p : probabilities) out.push_back(p > 0 ? static_cast<float>(std::log(p)) : kMasked);
  return out;
}

// Logits that look random but depend on sentence and history alone.
inline std::vector<float> scrambled(uint64_t seed, uint32_t sentence, const std::vector<int32_t>& history,
                                    size_t count) {
  uint64_t state = seed * 1000003 + sentence + 1;
  for (const int32_t id : history) state = (state ^ static_cast<uint64_t>(id + 1)) * 0x9e3779b97f4a7c15u + 12345;
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i) {
    uint64_t z = state + (i + 1) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 29)) * 0x94d049bb133111ebu;
    z ^= z >> 32;
    out.push_back(static_cast<float>(z % 4096) / 1024.0f - 2.0f);
  }
  return out;
}

}  // namespace dragoman::search
