// Lookup in a double-array trie, in the unit format of Darts-clone (which SentencePiece stores in its models):
// bits 0-7 label, bit 8 "a key ends here", bit 9 "offset is in units of 256", bits 10-30 offset, bit 31 leaf; a leaf's
// other bits are the value. The child of unit i for byte b is i ^ offset(i) ^ b, the leaf is i ^ offset(i).
// Neighbours: normalizer, unigram and bpe walk it; converter/double_array_builder makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"

namespace dragoman::text {

// Borrowed units. Walks are only allowed once check() has accepted them: it proves that every child of every unit lies
// inside the array, so walking needs no bound of its own. A damaged array may still hold a cycle: callers limit depth.
class DoubleArray {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  DoubleArray() = default;
  explicit DoubleArray(std::span<const uint32_t> units) : units_(units.data()), size_(units.size()) {}

  bool empty() const { return size_ == 0; }

  // The unit after `unit` for `byte`, or kNone.
  uint32_t step(uint32_t unit, unsigned char byte) const {
    const uint32_t next = unit ^ offset(units_[unit]) ^ byte;
    return (units_[next] & kLabelMask) == byte ? next : kNone;
  }

  // Value of the key that ends at `unit`, or kNone.
  uint32_t value(uint32_t unit) const {
    const uint32_t u = units_[unit];
    return (u & kHasLeaf) == 0 ? kNone : units_[unit ^ offset(u)] & ~kLeaf;
  }

  // The unit after all bytes of `key` from `unit`, or kNone.
  uint32_t walk(uint32_t unit, std::string_view key) const {
    for (const char c : key) {
      unit = step(unit, static_cast<unsigned char>(c));
      if (unit == kNone) return kNone;
    }
    return unit;
  }

  // Value of `key`, or kNone.
  uint32_t find(std::string_view key) const {
    const uint32_t unit = walk(kRoot, key);
    return unit == kNone ? kNone : value(unit);
  }

  // Every child inside the array, every value below `value_limit`. Linear. kDamaged names `what` and the unit.
  Status check(const char* what, size_t value_limit) const;

 private:
  static constexpr uint32_t kLeaf = 1u << 31;
  static constexpr uint32_t kHasLeaf = 1u << 8;
  static constexpr uint32_t kLabelMask = kLeaf | 0xFF;

  static uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }

  const uint32_t* units_ = nullptr;
  size_t size_ = 0;
};

}  // namespace dragoman::text
