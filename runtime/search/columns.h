// The logits of one hypothesis, by column. A column is an id, or the place of an id in the sentence's shortlist.
// Neighbours: constraints.h changes them, sampler.h and select_top choose from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/logits.h"

namespace dragoman::search {

inline constexpr float kNever = -std::numeric_limits<float>::infinity();

struct Columns {
  std::span<float> values;           // kNever: cannot be chosen
  std::span<const int32_t> allowed;  // ids of the columns, ascending; empty: column and id are the same

  int32_t id(size_t column) const { return allowed.empty() ? static_cast<int32_t>(column) : allowed[column]; }
  // The value of an id, or null when it has no column.
  float* find(int32_t id) const {
    if (allowed.empty())
      return id >= 0 && static_cast<size_t>(id) < values.size() ? &values[static_cast<size_t>(id)] : nullptr;
    const auto found = std::lower_bound(allowed.begin(), allowed.end(), id);
    if (found == allowed.end() || *found != id) return nullptr;
    return &values[static_cast<size_t>(found - allowed.begin())];
  }
  void ban(int32_t id) const {
    float* value = find(id);
    if (value != nullptr) *value = kNever;
  }
};

// The best k (at most kernels::kMaxTopK) columns, best first, equal ones by id. Sets ids, logits and count only.
void select_top(const Columns& columns, size_t k, kernels::TopK* top);

}  // namespace dragoman::search
