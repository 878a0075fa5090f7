// One sentence takes one position: from the best continuations of its rows to the rows that live on and those that end.
// Neighbours: search.cc calls it between two steps of the network; beam.cc has the two rules of beams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/logits.h"
#include "search/attention.h"
#include "search/hypothesis.h"
#include "search/length_penalty.h"
#include "search/options.h"

namespace dragoman::search {

// A sentence to decode. Its slots are sentence x max_beam and the following.
struct DecodeRequest {
  uint32_t sentence = 0;
  size_t max_ids = 1;     // 1 to max_length
  int32_t start_id = -1;  // previous id at position 0
  int32_t end_id = 0;
  std::span<const int32_t> forced_ids;  // the output begins with them, with log-probability 0; borrowed until it ends
  size_t num_certain = 0;               // so many of them have it with score_forced, too
  uint64_t sampling_key = 0;            // the same for the same sentence: see Sampling
  size_t source_length = 0;             // where attention is kept
};

// A sentence between two steps. Rows are its live hypotheses, best first in a beam.
struct SentenceState {
  DecodeRequest request;
  size_t position = 0;  // ids of every row
  size_t num_rows = 1;
  size_t num_finished = 0;
  uint32_t cut_rows = 0;           // bit r: row r gets its end from force_end and would have gone on
  std::span<float> sums;           // [max_beam] log-probability of each row so far
  std::span<uint32_t> chains;      // [max_beam] with sampling: number of each row's hypothesis
  std::span<Hypothesis> finished;  // [max_beam] best rank score first
};

// A row and an id to go on with.
struct Candidate {
  float sum = 0;
  float log_prob = 0;
  int32_t id = 0;
  uint32_t row = 0;
};

// What all sentences of a search share.
struct SearchMemory {
  LengthPenalty penalty;
  Trellis trellis;
  AttentionRows attention;
};

class Expansion {
 public:
  Expansion(const SearchOptions& options, SearchMemory* memory, SentenceState* state)
      : options_(options),
        memory_(*memory),
        nodes_(memory->trellis.at(state->request.sentence, state->position)),
        state_(*state) {}

  // Takes the position; top[num_rows] are the continuations of each row. True when the sentence has ended.
  bool run(std::span<const kernels::TopK> top);

 private:
  // The best `count` candidates of all rows, best first: equal ones by row, then by place in the row.
  size_t gather(std::span<const kernels::TopK> top, size_t count);
  bool expand_beam_marian(std::span<const kernels::TopK> top);
  bool expand_beam_hugging_face(std::span<const kernels::TopK> top);
  bool expand_chains(std::span<const kernels::TopK> top);

  bool ends(const Candidate& candidate) const { return candidate.id == state_.request.end_id; }
  bool at_limit() const { return state_.position + 1 == state_.request.max_ids; }
  void finish(const Candidate& candidate);
  void keep(const Candidate& candidate);
  bool cannot_improve() const;

  const SearchOptions& options_;
  const SearchMemory& memory_;
  std::span<Node> nodes_;  // of this position
  SentenceState& state_;
  size_t num_kept_ = 0;
  float sums_[model::kMaxBeamSize] = {};
  uint32_t chains_[model::kMaxBeamSize] = {};
  Candidate candidates_[kernels::kMaxTopK];
};

}  // namespace dragoman::search
