// The proof that lets walks go without bounds (see double_array.h).
// Neighbours: called for each trie of a model by tokenizer_check.cc.
#include "text/double_array.h"

namespace dragoman::text {

Status DoubleArray::check(const char* what, size_t value_limit) const {
  if (size_ == 0) return Status();
  if (size_ % 256 != 0 || size_ > UINT32_MAX / 2) {
    return Status::error(Code::kDamaged, "%s: found %zu units, expected a multiple of 256", what, size_);
  }
  if ((units_[0] & kLeaf) != 0 || (units_[0] & kHasLeaf) != 0) {
    return Status::error(Code::kDamaged, "%s: the root is a leaf or holds a value", what);
  }
  for (size_t i = 0; i < size_; ++i) {
    const uint32_t unit = units_[i];
    if ((unit & kLeaf) != 0) continue;
    // Children of one unit share all bits above the lowest eight, and the size is a multiple of 256.
    const size_t children = i ^ offset(unit);
    if (children >= size_) return Status::error(Code::kDamaged, "%s: unit %zu points outside", what, i);
    if ((unit & kHasLeaf) == 0) continue;
    const uint32_t leaf = units_[children];
    if ((leaf & kLeaf) == 0) return Status::error(Code::kDamaged, "%s: unit %zu has no leaf", what, i);
    if ((leaf & ~kLeaf) >= value_limit) {
      return Status::error(Code::kDamaged, "%s: unit %zu has value %u, limit %zu", what, i, leaf & ~kLeaf, value_limit);
    }
  }
  return Status();
}

}  // namespace dragoman::text
