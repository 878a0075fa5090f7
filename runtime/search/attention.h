// The attention of every live hypothesis to its source, position by position, and how well it covers the source.
// Neighbours: the engine writes the rows (StepRow::attention); expansion.h ranks by the coverage, search.h reads out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "search/hypothesis.h"

namespace dragoman::search {

// Rows of probabilities beside the trellis: row r of a position is what the hypothesis in row r attended to while its
// next id was looked for, so a node finds its own under its parent's row. Never copied.
class AttentionRows {
 public:
  struct Sizes {
    size_t sentences = 0;
    size_t max_length = 0;
    size_t max_rows = 0;
    size_t max_source_length = 0;  // 0: nothing is kept
  };
  void carve(const Sizes& sizes, Arena* arena) {
    sizes_ = sizes;
    rows_ = arena->carve<float>(
        saturating_product(sizes.sentences, sizes.max_length, sizes.max_rows, sizes.max_source_length));
    coverage_ = arena->carve<float>(sizes.max_source_length);
  }

  // [max_source_length]
  float* row(size_t sentence, size_t position, size_t row) const {
    const size_t index = (sentence * sizes_.max_length + position) * sizes_.max_rows + row;
    return rows_.data() + index * sizes_.max_source_length;
  }

  // Sum over the source ids of log(min(c, 1)), where c > 0 is what an id got from all ids of the hypothesis together
  // (Wu et al. 2016, section 7; ids that got nothing are left out, as in CTranslate2). At most 0.
  float coverage(const Trellis& trellis, size_t sentence, const Hypothesis& hypothesis, size_t source_length) const;

  // The hypothesis' rows one after another into to[num_ids, source_length].
  void read(const Trellis& trellis, size_t sentence, const Hypothesis& hypothesis, size_t source_length,
            std::span<float> to) const;

 private:
  Sizes sizes_;
  std::span<float> rows_;      // [sentences, max_length, max_rows, max_source_length]
  std::span<float> coverage_;  // [max_source_length]
};

}  // namespace dragoman::search
