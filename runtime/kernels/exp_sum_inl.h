// max and sum of exponentials of a row of floats, the parts of a log-sum-exp.
// Neighbours: softmax.cc, logits.cc.

#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "kernels/lanes_inl.h"
#include "kernels/math_inl.h"

#if defined(DRAGOMAN_KERNELS_EXP_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_EXP_SUM_INL_H_
#undef DRAGOMAN_KERNELS_EXP_SUM_INL_H_
#else
#define DRAGOMAN_KERNELS_EXP_SUM_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

// exp(x[0, n) - max) as Lanes, n <= 16; lanes behind the end are 0. Stored to `to` when it is not null.
HWY_INLINE Lanes exp_lanes(const float* x, size_t n, float max, float* to) {
  const F32 d;
  const auto shift = hn::Set(d, max);
  const auto lowest = hn::Neg(hn::Inf(d));
  Lanes e;
  HWY_UNROLL(16)
  for (size_t p = 0; p < kParts; ++p) {
    const size_t begin = p * kVectorLanes;
    if (n >= begin + kVectorLanes) {
      e.part[p] = exp(d, hn::Sub(hn::LoadU(d, x + begin), shift));
      if (to != nullptr) hn::StoreU(e.part[p], d, to + begin);
    } else if (n > begin) {
      e.part[p] = exp(d, hn::Sub(hn::LoadNOr(lowest, d, x + begin, n - begin), shift));
      if (to != nullptr) hn::StoreN(e.part[p], d, to + begin, n - begin);
    } else {
      e.part[p] = hn::Zero(d);
    }
  }
  return e;
}

// Sum of exp(x[i] - max) over 16 virtual lanes and four accumulators.
HWY_INLINE float sum_exp(const float* x, size_t count, float max, float* to) {
  LaneAccumulators total = zero_accumulators();
  for (size_t i = 0; i < count; i += kAccumulators * kVirtualLanes) {
    HWY_UNROLL(4)
    for (size_t a = 0; a < kAccumulators; ++a) {
      const size_t begin = i + a * kVirtualLanes;
      if (begin >= count) break;
      const size_t n = count - begin < kVirtualLanes ? count - begin : kVirtualLanes;
      total.sum[a] = add(total.sum[a], exp_lanes(x + begin, n, max, to == nullptr ? nullptr : to + begin));
    }
  }
  return sum(join(total));
}

// max + log(sum) where that is a number: -infinity for an empty or fully masked row, +infinity when max is.
HWY_INLINE float log_sum(float max, float sum) {
  const float infinity = std::numeric_limits<float>::infinity();
  if (max == -infinity || max == infinity) return max;
  return max + log_scalar(sum);
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
