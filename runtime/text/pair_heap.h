// A priority queue of BPE merges over borrowed memory: a heap with four children a node, which touches half the cache
// lines of a binary one.
// Neighbours: bpe.cc, ranked_bpe.cc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::text {

// A possible merge. Out of date once a side was merged elsewhere, which its size betrays.
struct BpePair {
  uint64_t priority;  // score, then leftness
  uint32_t right;
  uint32_t bytes;
};

// A possible merge by rank: it goes out of date when its pair no longer gives the same piece.
struct RankedPair {
  uint64_t priority;  // the complement of rank, then position
};

// The pair of highest priority first. The memory must hold every pair that is in the queue at one time.
template <typename Pair>
class PairHeap {
 public:
  explicit PairHeap(Pair* pairs) : pairs_(pairs) {}

  bool empty() const { return size_ == 0; }

  // Adds a pair without order; arrange() must follow before the next push or pop.
  void append(const Pair& pair) { pairs_[size_++] = pair; }

  void arrange() {
    if (size_ < 2) return;
    for (size_t i = (size_ - 2) / 4 + 1; i-- > 0;) sink(i, pairs_[i]);
  }

  void push(const Pair& pair) {
    size_t at = size_++;
    while (at != 0 && pairs_[(at - 1) / 4].priority < pair.priority) {
      pairs_[at] = pairs_[(at - 1) / 4];
      at = (at - 1) / 4;
    }
    pairs_[at] = pair;
  }

  // Precondition: not empty.
  Pair pop() {
    const Pair best = pairs_[0];
    if (--size_ != 0) sink(0, pairs_[size_]);
    return best;
  }

 private:
  // Puts `pair` where `at` is free, below whatever is better.
  void sink(size_t at, const Pair pair) {
    for (size_t first = 4 * at + 1; first < size_; first = 4 * at + 1) {
      const size_t end = first + 4 < size_ ? first + 4 : size_;
      size_t best = first;
      for (size_t child = first + 1; child < end; ++child) {
        best = pairs_[child].priority > pairs_[best].priority ? child : best;
      }
      if (pairs_[best].priority <= pair.priority) break;
      pairs_[at] = pairs_[best];
      at = best;
    }
    pairs_[at] = pair;
  }

  Pair* pairs_;
  size_t size_ = 0;
};

}  // namespace dragoman::text
