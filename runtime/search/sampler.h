// Draws an id from the logits of a hypothesis.
// Neighbours: options.h describes what is cut off; random.h gives the number; search.cc calls it per hypothesis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "search/columns.h"
#include "search/options.h"

namespace dragoman::search {

class Sampler {
 public:
  void carve(size_t max_columns, Arena* arena);

  // The column drawn by `number` in [0, 1), or the number of columns when none can be chosen.
  // Hugging Face's order: temperature, top-k, top-p, min-p, each over what the one before has left.
  size_t draw(const Sampling& sampling, const Columns& columns, double number);

 private:
  size_t cut(const Sampling& sampling, size_t count);

  std::span<float> weights_;   // [max_columns] probabilities
  std::span<uint32_t> order_;  // [max_columns] columns that are left
};

}  // namespace dragoman::search
