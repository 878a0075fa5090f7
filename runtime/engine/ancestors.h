// Which slot cached each position of each hypothesis, so that beam search copies no cache.
// Neighbours: the engine extends it before every step; kernels/cached_attention follows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace dragoman::engine {

// A row of slots by position for each slot, in two copies used in turn: a step's hypotheses may exchange slots freely.
// A slot of a hypothesis that ended must not be given to another sentence before its sentence ends.
class Ancestors {
 public:
  // No positions: nothing is kept, and extend() does nothing.
  void carve(size_t slots, size_t positions, Arena* arena);

  // Starts a step: what the last one wrote becomes what is read.
  void begin_step() { phase_ = 1 - phase_; }
  // The hypothesis of slot `parent` (-1: none yet) goes on at `position` in `slot`. Slots are distinct within a step; a
  // position outside [0, positions) is not recorded.
  void extend(int32_t parent, int32_t slot, int32_t position);

  // [slots, positions] of the step that began last: slot of every position up to the extended one.
  const int32_t* rows() const { return copies_[phase_].data(); }
  size_t positions() const { return positions_; }

 private:
  size_t positions_ = 0;
  size_t phase_ = 0;
  std::span<int32_t> copies_[2];  // [slots, positions], all entries below `slots`
};

}  // namespace dragoman::engine
