// The narrow door between search and the network: rows of hypotheses in, best continuations out.
// Neighbours: the engine implements it; search/ knows nothing else of the network, tests put hand-made scores behind
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/logits.h"

namespace dragoman::engine {

// One live hypothesis.
struct StepRow {
  int32_t previous_id = -1;  // -1: the model's start
  int32_t position = 0;      // of the id to be found, from 0
  int32_t parent = -1;       // slot whose decoder state it continues, -1: a fresh state
  int32_t slot = 0;          // slot that keeps its new state; distinct within a call
  uint32_t sentence = 0;     // sentence it belongs to

  bool suppress = true;        // ids that the model never generates cannot be chosen
  int32_t banned = -1;         // nor can this one here, though it counts in log_sum_exp; -1: none
  float* logits = nullptr;     // [num_columns(sentence)] receives every logit, -infinity where it cannot be chosen
  float* attention = nullptr;  // [source ids of the sentence] receives the attention to them; set for all rows or none
};

class DecoderStep {
 public:
  virtual ~DecoderStep() = default;
  // Best `top_k` (0 to kernels::kMaxTopK) ids of each row into top[rows.size()]. A row's result depends on the row and
  // its history only.
  virtual void step(std::span<const StepRow> rows, size_t top_k, std::span<kernels::TopK> top) = 0;

  // Ids of a sentence's columns of logits, ascending; empty: column and id are the same.
  virtual std::span<const int32_t> allowed_ids(uint32_t sentence) const = 0;
  // Ids that can be generated.
  virtual size_t vocabulary() const = 0;
  size_t num_columns(uint32_t sentence) const {
    const size_t allowed = allowed_ids(sentence).size();
    return allowed > 0 ? allowed : vocabulary();
  }
};

}  // namespace dragoman::engine
