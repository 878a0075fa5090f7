// Pieces that both attention kernels share: the softmax of one row of scores and the weighted sum of value rows.
// Neighbours: attention.cc, cross_attention.cc.

#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "kernels/lanes_inl.h"
#include "kernels/math_inl.h"

#if defined(DRAGOMAN_KERNELS_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_ATTENTION_INL_H_
#undef DRAGOMAN_KERNELS_ATTENTION_INL_H_
#else
#define DRAGOMAN_KERNELS_ATTENTION_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

// kRows rows of scores, `padded` floats each (a multiple of 16, unused places -infinity), one behind the other ->
// exp(score - max) in place, and 1 / sum into inverses [kRows]. A row of nothing but -infinity: zeros and 0; NaN or
// +infinity in a row makes its inverse NaN.
// Rows go through each phase together: one row alone would wait for its own reductions.
template <size_t kRows>
HWY_INLINE void exponentiate_scores(float* HWY_RESTRICT scores, size_t padded, float* HWY_RESTRICT inverses) {
  const F32 d;
  float shifts[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    const float* row = scores + r * padded;
    auto best = hn::Load(d, row);
    for (size_t i = kVectorLanes; i < padded; i += kVectorLanes) best = hn::Max(hn::Load(d, row + i), best);
    const float max = hn::ReduceMax(d, best);
    shifts[r] = max == -std::numeric_limits<float>::infinity() ? 0.0f : max;
  }
  for (size_t r = 0; r < kRows; ++r) {
    float* row = scores + r * padded;
    const auto shift = hn::Set(d, shifts[r]);
    for (size_t i = 0; i < padded; i += kVectorLanes) {
      hn::Store(exp(d, hn::Sub(hn::Load(d, row + i), shift)), d, row + i);
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    const float total = sum(row_lanes(scores + r * padded, padded));
    inverses[r] = total == 0.0f ? 0.0f : 1.0f / total;
  }
}

// Closes the padding of one row of scores behind `length` with -infinity.
HWY_INLINE void close_padding(float* scores, size_t length, size_t padded) {
  const F32 d;
  for (size_t i = length / kVectorLanes * kVectorLanes; i < padded; i += kVectorLanes) {
    const size_t valid = length > i ? length - i : 0;
    hn::Store(hn::IfThenElse(hn::FirstN(d, valid), hn::Load(d, scores + i), hn::Neg(hn::Inf(d))), d, scores + i);
  }
}

// Weighted sums of value rows for kRows rows of weights at once.
struct ValueRows {
  const float* values;  // [count, >= columns], `stride` floats apart
  size_t stride;
  size_t count;
  const float* weights;  // row r's weights at weights + r * weights_stride
  size_t weights_stride;
  const float* inverses;  // [kRows] 1 / sum
  float* output;          // row r at output + r * output_stride
  size_t output_stride;
};

// kVectors * kVectorLanes columns from `column` on: output = (sum_j weight[j] * value[j]) * inverse, ascending j.
template <size_t kRows, size_t kVectors>
HWY_INLINE void weigh_columns(const ValueRows& v, size_t column) {
  const F32 d;
  VF32 sums[kRows][kVectors];
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(16)
    for (size_t c = 0; c < kVectors; ++c) sums[r][c] = hn::Zero(d);
  }
  const float* value = v.values + column;
  for (size_t j = 0; j < v.count; ++j, value += v.stride) {
    VF32 row[kVectors];
    HWY_UNROLL(16)
    for (size_t c = 0; c < kVectors; ++c) row[c] = hn::LoadU(d, value + c * kVectorLanes);
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      const auto weight = hn::Set(d, v.weights[r * v.weights_stride + j]);
      HWY_UNROLL(16)
      for (size_t c = 0; c < kVectors; ++c) sums[r][c] = hn::MulAdd(weight, row[c], sums[r][c]);
    }
  }
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r) {
    const auto inverse = hn::Set(d, v.inverses[r]);
    HWY_UNROLL(16)
    for (size_t c = 0; c < kVectors; ++c) {
      hn::StoreU(hn::Mul(sums[r][c], inverse), d, v.output + r * v.output_stride + column + c * kVectorLanes);
    }
  }
}

// The last `columns` < kVectorLanes columns.
template <size_t kRows>
HWY_INLINE void weigh_tail(const ValueRows& v, size_t column, size_t columns) {
  const F32 d;
  VF32 sums[kRows];
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
  for (size_t j = 0; j < v.count; ++j) {
    const auto row = hn::LoadN(d, v.values + j * v.stride + column, columns);
    HWY_UNROLL(16)
    for (size_t r = 0; r < kRows; ++r) {
      sums[r] = hn::MulAdd(hn::Set(d, v.weights[r * v.weights_stride + j]), row, sums[r]);
    }
  }
  HWY_UNROLL(16)
  for (size_t r = 0; r < kRows; ++r) {
    const auto y = hn::Mul(sums[r], hn::Set(d, v.inverses[r]));
    hn::StoreN(y, d, v.output + r * v.output_stride + column, columns);
  }
}

// All columns of kRows rows; kBlock vectors at a time where they fit the register file.
template <size_t kRows, size_t kBlock>
HWY_INLINE void weigh_values(const ValueRows& v, size_t columns) {
  size_t c = 0;
  for (; c + kBlock * kVectorLanes <= columns; c += kBlock * kVectorLanes) weigh_columns<kRows, kBlock>(v, c);
  for (; c + kVectorLanes <= columns; c += kVectorLanes) weigh_columns<kRows, 1>(v, c);
  if (c < columns) weigh_tail<kRows>(v, c, columns - c);
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
