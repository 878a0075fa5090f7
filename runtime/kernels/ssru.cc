// One step of the SSRU cell on Highway. Neighbours: math_inl.h, ssru_reference.cc.
#include "kernels/ssru.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ssru.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/lanes_inl.h"
#include "kernels/math_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

// c = fma(f, c_previous, (1 - f) * x) with f = sigmoid(gate).
HWY_INLINE VF32 next_cell(VF32 x, VF32 gate, VF32 previous) {
  const F32 d;
  const auto f = sigmoid(d, gate);
  return hn::MulAdd(f, previous, hn::Mul(hn::Sub(hn::Set(d, 1.0f), f), x));
}

// One row; `previous` null means zeros.
HWY_INLINE void step_row(const float* input, size_t width, const float* previous, float* next, float* output) {
  const F32 d;
  const auto zero = hn::Zero(d);
  size_t i = 0;
  for (; i + kVectorLanes <= width; i += kVectorLanes) {
    const auto old = previous != nullptr ? hn::LoadU(d, previous + i) : zero;
    const auto c = next_cell(hn::LoadU(d, input + i), hn::LoadU(d, input + width + i), old);
    hn::StoreU(c, d, next + i);
    hn::StoreU(hn::Max(c, zero), d, output + i);
  }
  if (i < width) {
    const size_t n = width - i;
    const auto old = previous != nullptr ? hn::LoadN(d, previous + i, n) : zero;
    const auto c = next_cell(hn::LoadN(d, input + i, n), hn::LoadN(d, input + width + i, n), old);
    hn::StoreN(c, d, next + i, n);
    hn::StoreN(hn::Max(c, zero), d, output + i, n);
  }
}

void ssru_step_body(const SsruOptions& o) {
  const size_t input_stride = o.input_stride != 0 ? o.input_stride : 2 * o.width;
  const size_t output_stride = o.output_stride != 0 ? o.output_stride : o.width;
  for (size_t r = 0; r < o.rows; ++r) {
    const ptrdiff_t parent = o.parents != nullptr ? o.parents[r] : static_cast<ptrdiff_t>(r);
    const size_t slot = o.slots != nullptr ? static_cast<size_t>(o.slots[r]) : r;
    const float* previous = parent >= 0 ? o.previous + static_cast<size_t>(parent) * o.width : nullptr;
    step_row(o.input + r * input_stride, o.width, previous, o.next + slot * o.width, o.output + r * output_stride);
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(ssru)
HWY_EXPORT(ssru_step_body);

void ssru_step(const SsruOptions& options) { HWY_DYNAMIC_DISPATCH(ssru_step_body)(options); }

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
