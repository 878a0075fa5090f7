// Shared tools of the kernel tests: repeatable numbers, buffers with guards, comparison within computed bounds.
// Neighbours: test_kernels.cc runs check_<name> of every line of kernel_list.inc on every target.
#pragma once

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dragoman::kernels::test {

// Unit roundoff of float.
inline constexpr double kUnit = 0x1p-24;

// Lengths around the widths of vectors and accumulator blocks.
inline constexpr size_t kLengths[] = {0,  1,  2,  3,  7,  8,  9,  15, 16,  17,  31,  32,  33,
                                      47, 48, 63, 64, 65, 79, 96, 97, 127, 128, 129, 256, 300};

// Repeatable numbers (xorshift), the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint32_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 32);
  }
  size_t below(size_t n) { return bits() % n; }
  // Uniform in [-scale, scale).
  float real(float scale = 1.0f) { return (static_cast<float>(bits() >> 8) * 0x1p-23f - 1.0f) * scale; }
  int8_t byte() { return static_cast<int8_t>(bits() & 0xFF); }

 private:
  uint64_t state_;
};

// `count` elements that start off any vector boundary, with a guard behind and before that must stay as it is.
template <typename T>
class Guarded {
 public:
  explicit Guarded(size_t count) : count_(count), bytes_((count + 2 * kGuard) * sizeof(T), 0x5A) {}
  T* data() { return reinterpret_cast<T*>(bytes_.data()) + kGuard; }
  T& operator[](size_t i) { return data()[i]; }
  std::span<T> span() { return {data(), count_}; }
  bool intact() const {
    for (size_t i = 0; i < kGuard * sizeof(T); ++i) {
      if (bytes_[i] != 0x5A || bytes_[bytes_.size() - 1 - i] != 0x5A) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 19;
  size_t count_;
  std::vector<unsigned char> bytes_;
};

inline void fill(std::span<float> values, Random& random, float scale) {
  for (float& value : values) value = random.real(scale);
}

// What one output must be: the double-precision value and how far rounding may carry a float result from it.
struct Expected {
  double value;
  double bound;
};

// Index of the first element out of bounds, or -1.
inline ptrdiff_t first_outside(std::span<const float> got, std::span<const Expected> expected) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (!(std::fabs(static_cast<double>(got[i]) - expected[i].value) <= expected[i].bound)) {
      return static_cast<ptrdiff_t>(i);
    }
  }
  return -1;
}

// Index of the first element that differs in value (zeros of either sign are equal), or -1.
inline ptrdiff_t first_difference(std::span<const float> got, std::span<const float> expected) {
  for (size_t i = 0; i < got.size(); ++i) {
    const bool both_nan = std::isnan(got[i]) && std::isnan(expected[i]);
    if (got[i] != expected[i] && !both_nan) return static_cast<ptrdiff_t>(i);
  }
  return -1;
}

// The judgement of all float kernels: body and reference within the bounds; the same bits on targets with fma.
inline void judge(std::span<const float> body, std::span<const float> reference, std::span<const Expected> expected,
                  bool fused) {
  REQUIRE(first_outside(reference, expected) == -1);
  REQUIRE(first_outside(body, expected) == -1);
  if (fused) REQUIRE(first_difference(body, reference) == -1);
}

inline bool all_finite(std::span<const float> values) {
  for (float value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

// A scratch block on the 64-byte boundary that kernels ask for.
class Scratch {
 public:
  explicit Scratch(size_t bytes) : block_(bytes + 64) {}
  float* data() { return reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(block_.data()) + 63) & ~uintptr_t{63}); }

 private:
  std::vector<unsigned char> block_;
};

}  // namespace dragoman::kernels::test
