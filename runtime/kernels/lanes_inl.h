// Reductions over 16 virtual lanes in one fixed tree, whatever the vector width: the same bits on every target with
// fma. Neighbours: every kernel body that sums; reference::LaneSum in scalar_math.h is the same order in plain C++.

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#if defined(DRAGOMAN_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_LANES_INL_H_
#undef DRAGOMAN_KERNELS_LANES_INL_H_
#else
#define DRAGOMAN_KERNELS_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::CappedTag<float, 16>;
using VF32 = hn::Vec<F32>;
using I32 = hn::RebindToSigned<F32>;
using VI32 = hn::Vec<I32>;

inline constexpr size_t kVirtualLanes = 16;
inline constexpr size_t kVectorLanes = hn::MaxLanes(F32());
inline constexpr size_t kParts = kVirtualLanes / kVectorLanes;
inline constexpr size_t kAccumulators = 4;

// 16 floats in as many vectors as the target needs.
struct Lanes {
  Lanes() = default;  // declared here, it is compiled for the target like all around it
  VF32 part[kParts];
};

HWY_INLINE Lanes set_lanes(float value) {
  Lanes x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kParts; ++i) x.part[i] = hn::Set(F32(), value);
  return x;
}

HWY_INLINE Lanes load_lanes(const float* from) {
  Lanes x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kParts; ++i) x.part[i] = hn::LoadU(F32(), from + i * kVectorLanes);
  return x;
}

// The first `count` <= 16 floats; the other lanes are 0.
HWY_INLINE Lanes load_lanes_n(const float* from, size_t count) {
  Lanes x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kParts; ++i) {
    const size_t begin = i * kVectorLanes;
    x.part[i] = count > begin ? hn::LoadN(F32(), from + begin, count - begin) : hn::Zero(F32());
  }
  return x;
}

HWY_INLINE Lanes add(const Lanes& a, const Lanes& b) {
  Lanes x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kParts; ++i) x.part[i] = hn::Add(a.part[i], b.part[i]);
  return x;
}

HWY_INLINE Lanes multiply_add(const Lanes& a, const Lanes& b, const Lanes& c) {
  Lanes x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kParts; ++i) x.part[i] = hn::MulAdd(a.part[i], b.part[i], c.part[i]);
  return x;
}

HWY_INLINE Lanes multiply(const Lanes& a, const Lanes& b) {
  Lanes x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kParts; ++i) x.part[i] = hn::Mul(a.part[i], b.part[i]);
  return x;
}

// Four partial sums, lane i = (x[i] + x[i + 8]) + (x[i + 4] + x[i + 12]): the first half of the tree.
// The second half, (0 + 2) + (1 + 3), runs for four values at once in sum_quads().
#if HWY_MAX_BYTES >= 16
using F32x4 = hn::CappedTag<float, 4>;
using Quad = hn::Vec<F32x4>;

template <class V>
HWY_INLINE Quad fold_vector(V x) {
  const hn::DFromV<V> d;
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<decltype(d)> half;
    return fold_vector(hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  } else {
    return x;
  }
}

template <size_t kCount>
HWY_INLINE Quad fold_parts(const VF32 (&x)[kCount]) {
  static_assert(kCount == 1 || kCount == 2 || kCount == 4);
  if constexpr (kCount == 1) {
    return fold_vector(x[0]);
  } else if constexpr (kCount == 2) {
    return fold_vector(hn::Add(x[0], x[1]));
  } else {
    return hn::Add(hn::Add(x[0], x[2]), hn::Add(x[1], x[3]));
  }
}

HWY_INLINE Quad fold(const Lanes& x) { return fold_parts(x.part); }

// [sum a, sum b, sum c, sum d].
HWY_INLINE Quad sum_quads(Quad a, Quad b, Quad c, Quad d) {
  const F32x4 tag;
  const auto ab = hn::Add(hn::ConcatLowerLower(tag, b, a), hn::ConcatUpperUpper(tag, b, a));
  const auto cd = hn::Add(hn::ConcatLowerLower(tag, d, c), hn::ConcatUpperUpper(tag, d, c));
  return hn::Add(hn::ConcatEven(tag, cd, ab), hn::ConcatOdd(tag, cd, ab));
}

HWY_INLINE void store_quad(Quad x, float* to) { hn::StoreU(x, F32x4(), to); }

HWY_INLINE float sum_quad(Quad x) {
  const auto two = hn::Add(x, hn::Shuffle1032(x));
  return hn::GetLane(hn::Add(two, hn::Shuffle2301(two)));
}
#else
struct Quad {
  float lane[4];
};

HWY_INLINE Quad fold(const Lanes& x) {
  Quad y;
  for (size_t i = 0; i < 4; ++i) {
    y.lane[i] = (hn::GetLane(x.part[i]) + hn::GetLane(x.part[i + 8])) +
                (hn::GetLane(x.part[i + 4]) + hn::GetLane(x.part[i + 12]));
  }
  return y;
}

HWY_INLINE float sum_quad(const Quad& x) { return (x.lane[0] + x.lane[2]) + (x.lane[1] + x.lane[3]); }

HWY_INLINE Quad sum_quads(const Quad& a, const Quad& b, const Quad& c, const Quad& d) {
  return {{sum_quad(a), sum_quad(b), sum_quad(c), sum_quad(d)}};
}

HWY_INLINE void store_quad(const Quad& x, float* to) {
  for (size_t i = 0; i < 4; ++i) to[i] = x.lane[i];
}
#endif

HWY_INLINE float sum(const Lanes& x) { return sum_quad(fold(x)); }

// Accumulators of a long sum: block b of 16 elements goes to accumulator b % 4; joined as (0 + 1) + (2 + 3).
struct LaneAccumulators {
  Lanes sum[kAccumulators];
};

HWY_INLINE LaneAccumulators zero_accumulators() {
  LaneAccumulators x;
  HWY_UNROLL(16)
  for (size_t i = 0; i < kAccumulators; ++i) x.sum[i] = set_lanes(0.0f);
  return x;
}

HWY_INLINE Lanes join(const LaneAccumulators& x) { return add(add(x.sum[0], x.sum[1]), add(x.sum[2], x.sum[3])); }

// The 16 partial sums of count floats in the fixed order.
HWY_INLINE Lanes row_lanes(const float* x, size_t count) {
  LaneAccumulators total = zero_accumulators();
  size_t i = 0;
  for (; i + kAccumulators * kVirtualLanes <= count; i += kAccumulators * kVirtualLanes) {
    HWY_UNROLL(16)
    for (size_t a = 0; a < kAccumulators; ++a) {
      total.sum[a] = add(total.sum[a], load_lanes(x + i + a * kVirtualLanes));
    }
  }
  HWY_UNROLL(16)
  for (size_t a = 0; a < kAccumulators; ++a) {
    const size_t begin = i + a * kVirtualLanes;
    if (begin + kVirtualLanes <= count) {
      total.sum[a] = add(total.sum[a], load_lanes(x + begin));
    } else if (begin < count) {
      total.sum[a] = add(total.sum[a], load_lanes_n(x + begin, count - begin));
    }
  }
  return join(total);
}

HWY_INLINE float sum_row(const float* x, size_t count) { return sum(row_lanes(x, count)); }

// The partial sums of a . b over count floats in the fixed order; `load_b(i, n)` gives b[i, i + n) as Lanes, n <= 16.
template <class LoadB>
HWY_INLINE Quad dot_quad(const float* a, const LoadB& load_b, size_t count) {
  LaneAccumulators total = zero_accumulators();
  size_t i = 0;
  for (; i + kAccumulators * kVirtualLanes <= count; i += kAccumulators * kVirtualLanes) {
    HWY_UNROLL(4)
    for (size_t k = 0; k < kAccumulators; ++k) {
      const size_t begin = i + k * kVirtualLanes;
      total.sum[k] = multiply_add(load_lanes(a + begin), load_b(begin, kVirtualLanes), total.sum[k]);
    }
  }
  HWY_UNROLL(4)
  for (size_t k = 0; k < kAccumulators; ++k) {
    const size_t begin = i + k * kVirtualLanes;
    if (begin + kVirtualLanes <= count) {
      total.sum[k] = multiply_add(load_lanes(a + begin), load_b(begin, kVirtualLanes), total.sum[k]);
    } else if (begin < count) {
      const size_t n = count - begin;
      total.sum[k] = multiply_add(load_lanes_n(a + begin, n), load_b(begin, n), total.sum[k]);
    }
  }
  return fold(join(total));
}

// b as plain floats, for dot_quad.
struct FloatLoader {
  const float* b;
  HWY_INLINE Lanes operator()(size_t i, size_t n) const {
    return n == kVirtualLanes ? load_lanes(b + i) : load_lanes_n(b + i, n);
  }
};

HWY_INLINE float dot_row(const float* a, const float* b, size_t count) {
  return sum_quad(dot_quad(a, FloatLoader{b}, count));
}

// The largest of count floats, -infinity for none. Exact, so its order does not matter.
HWY_INLINE float max_row(const float* x, size_t count) {
  const F32 d;
  const auto lowest = hn::Neg(hn::Inf(d));
  auto best0 = lowest, best1 = lowest;
  size_t i = 0;
  for (; i + 2 * kVectorLanes <= count; i += 2 * kVectorLanes) {
    best0 = hn::Max(hn::LoadU(d, x + i), best0);
    best1 = hn::Max(hn::LoadU(d, x + i + kVectorLanes), best1);
  }
  for (; i < count; i += kVectorLanes) {
    best0 = hn::Max(hn::LoadNOr(lowest, d, x + i, count - i), best0);
  }
  return hn::ReduceMax(d, hn::Max(best0, best1));
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
