// The list of merges of a kRankedBpe tokenizer, looked up by pair.
// Neighbours: ranked_bpe.cc; part_tables_check.cc proves what find() relies on; merge_slot() in
// base/tokenizer_tables.h.
#pragma once

#include <cstdint>
#include <span>

#include "base/tokenizer_tables.h"

namespace dragoman::text {

class MergeTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  MergeTable() = default;
  explicit MergeTable(const TokenizerTables& tables)
      : merges_(tables.merges.data()), slots_(tables.merge_slots.data()), num_slots_(tables.merge_slots.size()) {}

  // Rank of the merge of two pieces, or kNone.
  uint32_t find(uint32_t left, uint32_t right) const {
    if (num_slots_ == 0) return kNone;
    const uint32_t mask = static_cast<uint32_t>(num_slots_ - 1);
    for (uint32_t slot = merge_slot(left, right, mask); slots_[slot] != 0; slot = (slot + 1) & mask) {
      const uint32_t rank = slots_[slot] - 1;
      const uint32_t* merge = merges_ + size_t{3} * rank;
      if (merge[0] == left && merge[1] == right) return rank;
    }
    return kNone;
  }

  uint32_t merged(uint32_t rank) const { return merges_[size_t{3} * rank + 2]; }

 private:
  const uint32_t* merges_ = nullptr;
  const uint32_t* slots_ = nullptr;
  size_t num_slots_ = 0;
};

}  // namespace dragoman::text
