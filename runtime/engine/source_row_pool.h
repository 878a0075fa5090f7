// Hands out contiguous ranges of source-state rows to sentences in flight and takes them back.
// Neighbours: the engine keeps each sentence's keys and values in its range until the sentence ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace dragoman::engine {

// First fit over the ranges in use, which are kept ascending. Deterministic; does not allocate after carve().
class SourceRowPool {
 public:
  // A pool of `rows` rows for at most `max_ranges` ranges at once.
  void carve(size_t rows, size_t max_ranges, Arena* arena);

  // Row where a free range of `length` >= 1 rows begins, or kNone when none is long enough now. An empty pool satisfies
  // every length up to its size. Precondition: fewer than max_ranges are in use.
  static constexpr size_t kNone = SIZE_MAX;
  size_t take(size_t length);
  // Takes a part of a range that was just taken and released: divides one range among several owners.
  size_t take_at(size_t begin, size_t length);

  // Gives back the range that begins at `begin`.
  void release(size_t begin);

  // The most rows that one take() would get.
  size_t longest_free() const;

  void clear() { count_ = 0; }

 private:
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  void insert(size_t at, size_t begin, size_t length);

  std::span<Range> ranges_;
  size_t count_ = 0;
  size_t rows_ = 0;
};

}  // namespace dragoman::engine
