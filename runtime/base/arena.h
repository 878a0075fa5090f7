// One block of memory, carved front to back at session creation; nothing is ever given back.
// Neighbours: the memory plan says how much is needed, the session carves its buffers from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer_size.h"

namespace dragoman {

// Every buffer the arena hands out starts on this boundary (a cache line; enough for every vector width).
inline constexpr size_t kBufferAlignment = 64;

constexpr size_t align_up(size_t bytes, size_t alignment = kBufferAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Carves 64-byte aligned buffers from a borrowed block. With a null block it only measures, so the same code path
// that builds a session also answers required_memory(). Not thread safe; used at session creation only.
class Arena {
 public:
  // `block` must be 64-byte aligned (or null to measure) and outlive everything carved from it.
  Arena(void* block, size_t bytes) : block_(static_cast<std::byte*>(block)), capacity_(bytes) {}

  // An arena that only counts.
  static Arena measuring() { return Arena(nullptr, kTooLarge - 1); }

  bool is_measuring() const { return block_ == nullptr; }

  // Uninitialised room for `count` objects of T, or an empty span when the block is exhausted (see failed()) or when
  // measuring. T must be trivially destructible.
  template <typename T>
  std::span<T> carve(size_t count) {
    void* p = carve_bytes(saturating_product(count, sizeof(T)));
    return p == nullptr ? std::span<T>() : std::span<T>(static_cast<T*>(p), count);
  }

  // `bytes` rounded up to whole cache lines; null when measuring or exhausted.
  void* carve_bytes(size_t bytes) {
    const size_t need = align_up(std::min(bytes, kTooLarge));
    used_ = saturating_sum(used_, need);
    if (used_ > capacity_ || used_ == kTooLarge) failed_ = true;
    if (block_ == nullptr || failed_) return nullptr;
    return block_ + used_ - need;
  }

  // High-water mark in bytes: what a block must hold to satisfy every carve so far.
  size_t used() const { return used_; }
  bool failed() const { return failed_; }

 private:
  std::byte* block_;
  size_t capacity_;
  size_t used_ = 0;
  bool failed_ = false;
};

}  // namespace dragoman
