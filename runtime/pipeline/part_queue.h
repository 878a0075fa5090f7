// A ring of parts between reading and the sink: parts enter and leave in order, and finish in any.
// Neighbours: the translator fills it from a PartSource and empties it into the sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "pipeline/part.h"

namespace dragoman::pipeline {

class PartQueue {
 public:
  struct Sizes {
    size_t parts = 1;
    size_t max_source_ids = 1;  // of one part
    size_t max_ids = 1;         // of one hypothesis
    size_t max_hypotheses = 1;
    bool attention = false;
  };
  void carve(const Sizes& sizes, Arena* arena);

  size_t size() const { return count_; }
  bool full() const { return count_ == parts_.size(); }
  // Position 0 is the oldest part. index < size().
  Part& operator[](size_t index) { return parts_[(head_ + index) % parts_.size()]; }

  // The slot that push() will add, reset. Precondition: not full.
  Part* back_slot();
  void push() { ++count_; }
  void pop_front();
  void clear() { head_ = count_ = 0; }

 private:
  std::span<Part> parts_;
  size_t head_ = 0;
  size_t count_ = 0;
};

}  // namespace dragoman::pipeline
