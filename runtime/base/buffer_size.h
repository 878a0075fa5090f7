// Sums and products that size buffers: they saturate where they would wrap around.
// Neighbours: whatever multiplies a caller's limits by a model's numbers; base/arena.h refuses what is too large.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dragoman {

// Counts and bytes that reach this stay there; no buffer is that large, even where size_t has 32 bits.
inline constexpr size_t kTooLarge = SIZE_MAX / 2;

template <typename... Sizes>
constexpr size_t saturating_sum(Sizes... sizes) {
  size_t sum = 0;
  for (const size_t size : {static_cast<size_t>(sizes)...}) sum = std::min(sum + std::min(size, kTooLarge), kTooLarge);
  return sum;
}

template <typename... Sizes>
constexpr size_t saturating_product(Sizes... sizes) {
  size_t product = 1;
  for (const size_t size : {static_cast<size_t>(sizes)...}) {
    if (__builtin_mul_overflow(product, size, &product) || product > kTooLarge) product = kTooLarge;
  }
  return product;
}

}  // namespace dragoman
