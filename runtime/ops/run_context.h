// What one run of a program works on: which rows are live, whose they are, where results go.
// Neighbours: engine/ fills it for every run, every operator reads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "kernels/logits.h"

namespace dragoman::ops {

// The rows of a sentence in the source states.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t length = 0;
};

// The target ids a hypothesis may take, ascending; null: all of them.
struct AllowedIds {
  const int32_t* ids = nullptr;
  size_t count = 0;
};

// What a hypothesis wants to know of its scores.
struct LogitsRequest {
  bool suppress = true;     // the suppressed ids cannot be chosen
  int32_t banned = -1;      // nor can this one, which counts in the sum of exponentials; -1: none
  float* logits = nullptr;  // [allowed ids or vocabulary] receives all logits; or null
};

// Sees values as they are computed; for tests and debugging. Only values kept in f32 are shown.
class Observer {
 public:
  virtual ~Observer() = default;
  // A node's result or a state: [rows, width] of f32, `stride` floats from row to row.
  virtual void value(const char* name, const float* data, size_t rows, size_t width, size_t stride) = 0;
  // Softmax weights of one row: [heads, source_length], `stride` floats from head to head.
  virtual void attention(const char* name, size_t row, const float* weights, size_t heads, size_t source_length,
                         size_t stride) = 0;
};

// Borrowed for one run. Source fields serve `encode` and `begin`, hypothesis fields serve `step`.
struct RunContext {
  const ThreadPool* threads = nullptr;
  Observer* observer = nullptr;  // or null

  size_t source_rows = 0;   // of all sentences of this run, packed
  size_t num_segments = 0;  // sentences
  const uint32_t* segment_begins =
      nullptr;                          // [num_segments + 1] first row of each sentence; the last entry is source_rows
  const int32_t* source_ids = nullptr;  // [source_rows]
  const int32_t* source_positions = nullptr;  // [source_rows] position of each row in its sentence
  size_t source_state_begin = 0;              // row of the source states where this run's rows are kept

  size_t hypothesis_rows = 0;
  const int32_t* previous_ids = nullptr;      // [hypothesis_rows], -1: none yet
  const int32_t* target_positions = nullptr;  // [hypothesis_rows]
  const int32_t* parents = nullptr;           // [hypothesis_rows] slot whose state a row continues, -1: a fresh one
  const int32_t* slots = nullptr;             // [hypothesis_rows] slot that keeps the row's state
  const int32_t* ancestors = nullptr;         // [slots, ancestors_stride]: for each slot of this run's rows, the slot
                                              // that cached each position up to and with the row's own
  size_t ancestors_stride = 0;
  size_t state_phase = 0;  // which of the two copies of the hypothesis states is read; the other is written
  const SourceRange* sources = nullptr;  // [hypothesis_rows]
  const AllowedIds* allowed = nullptr;   // [hypothesis_rows]
  const int32_t* suppressed = nullptr;   // ids never generated
  size_t num_suppressed = 0;
  bool sum_suppressed = false;            // suppressed ids count in the sum of exponentials
  const LogitsRequest* logits = nullptr;  // [hypothesis_rows]
  // Each row's attention to its source ids is added up over the wanted heads; null: not asked for.
  float* const* attention = nullptr;         // [hypothesis_rows], each [source length of the row]
  const uint8_t* attention_heads = nullptr;  // [heads of all cross-attentions, in order] 1: wanted
  size_t top_k = 1;                          // 0 to kernels::kMaxTopK
  kernels::TopK* top = nullptr;              // [hypothesis_rows], result
};

}  // namespace dragoman::ops
