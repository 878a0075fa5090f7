// What a search keeps of a sentence: the ids of its hypotheses in a trellis, and those that ended.
// Neighbours: expansion.h adds to it, search.h reads it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace dragoman::search {

// One id of a live hypothesis.
struct Node {
  int32_t id = 0;
  uint32_t parent = 0;  // row of the position before
  float log_prob = 0;
};

// The ids of all live hypotheses of all sentences, each position pointing back at the one before; never copied.
class Trellis {
 public:
  void carve(size_t sentences, size_t max_length, size_t max_rows, Arena* arena) {
    max_length_ = max_length;
    max_rows_ = max_rows;
    nodes_ = arena->carve<Node>(saturating_product(sentences, max_length, max_rows));
  }
  // [max_rows] of one position.
  std::span<Node> at(size_t sentence, size_t position) {
    return nodes_.subspan((sentence * max_length_ + position) * max_rows_, max_rows_);
  }
  const Node& node(size_t sentence, size_t position, size_t row) const {
    return nodes_[(sentence * max_length_ + position) * max_rows_ + row];
  }

 private:
  std::span<Node> nodes_;
  size_t max_length_ = 0;
  size_t max_rows_ = 0;
};

// A hypothesis that ended. Its last id stands here, the others in the trellis.
struct Hypothesis {
  size_t num_ids = 0;          // end id included if it was generated
  float score = 0;             // sum of log-probabilities
  float rank_score = 0;        // by which hypotheses are ranked: the score with length and word penalty
  bool reached_limit = false;  // as long as it may get, without an end id of its own
  Node last;
};

}  // namespace dragoman::search
