#include "engine/ancestors.h"

#include <algorithm>

namespace dragoman::engine {

void Ancestors::carve(size_t slots, size_t positions, Arena* arena) {
  positions_ = positions;
  for (std::span<int32_t>& copy : copies_) {
    copy = arena->carve<int32_t>(saturating_product(slots, positions));
    std::fill(copy.begin(), copy.end(), 0);
  }
}

void Ancestors::extend(int32_t parent, int32_t slot, int32_t position) {
  if (position < 0 || static_cast<size_t>(position) >= positions_) return;
  const auto count = static_cast<size_t>(position);
  const auto to = copies_[phase_].subspan(static_cast<size_t>(slot) * positions_, positions_);
  if (parent >= 0) {
    const auto from = copies_[1 - phase_].subspan(static_cast<size_t>(parent) * positions_, positions_);
    std::copy_n(from.begin(), count, to.begin());
  }
  to[count] = slot;
}

}  // namespace dragoman::engine
