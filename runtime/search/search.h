// From scores to tokens: greedy, beam, sampling or a given output, for many sentences at once in slots that are
// refilled as they end.
// Neighbours: drives engine::DecoderStep; pipeline/ starts sentences and collects them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "base/status.h"
#include "engine/decoder_step.h"
#include "search/columns.h"
#include "search/expansion.h"
#include "search/hypothesis.h"
#include "search/options.h"
#include "search/sampler.h"

namespace dragoman::search {

class Search {
 public:
  // Carves everything from `arena`; nothing is allocated later.
  void carve(const SearchLimits& limits, Arena* arena);

  // How the sentences started from now on are decoded. Precondition: none is live. What `options` points to is
  // borrowed. Errors: kInvalidArgument.
  Status configure(const SearchOptions& options);

  // Precondition: fewer than max_sentences are live and request.sentence is not.
  void start(const DecodeRequest& request);

  size_t num_live() const { return num_live_; }

  // Takes one position for all live sentences; those that end are written to finished[] (room for num_live()) and are
  // no longer live. Returns how many. Errors: kNumerical, naming the position; clear() is due then.
  Result<size_t> advance(engine::DecoderStep& network, std::span<uint32_t> finished);

  // What was found for a sentence that ended, best first, at least one: until its number is started again.
  std::span<const Hypothesis> hypotheses(uint32_t sentence) const;
  // The ids of one of them and their log-probabilities; both have room for num_ids.
  void read(uint32_t sentence, const Hypothesis& hypothesis, std::span<int32_t> ids, std::span<float> log_probs) const;
  // Its attention, [num_ids, source_length of the request]. Precondition: the options keep it.
  void read_attention(uint32_t sentence, const Hypothesis& hypothesis, std::span<float> attention) const;

  void clear() { num_live_ = 0; }

 private:
  size_t list_rows();
  engine::StepRow row_of(const SentenceState& state, size_t row) const;
  size_t top_k() const;
  Status choose(const engine::DecoderStep& network, size_t first_row, SentenceState* state);
  Status choose_row(const Columns& columns, size_t row, SentenceState* state, kernels::TopK* top);
  bool goes_on(const Columns& columns, const kernels::TopK& top, int32_t end_id) const;
  void choose_from(const Columns& columns, const SentenceState& state, size_t row, kernels::TopK* top);
  bool forced_id(const SentenceState& state, int32_t* id) const;
  std::span<const int32_t> history(const SentenceState& state, size_t row);

  SearchLimits limits_;
  SearchOptions options_;
  SearchMemory memory_;
  Sampler sampler_;
  std::span<SentenceState> states_;  // [max_sentences] by number
  std::span<uint32_t> live_;         // [max_sentences] numbers, in order of their start
  size_t num_live_ = 0;
  std::span<engine::StepRow> rows_;  // [max_sentences x max_beam]
  std::span<kernels::TopK> top_;     // [max_sentences x max_beam]
  std::span<float> logits_;          // [max_sentences x max_beam, stride]
  size_t logits_stride_ = 0;
  std::span<int32_t> history_;  // [2, max_length + 1]
};

}  // namespace dragoman::search
