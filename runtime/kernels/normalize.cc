// layer_norm and rms_norm on Highway. Neighbours: quantize_inl.h for int8 rows, normalize_reference.cc.
#include "kernels/normalize.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalize.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/lanes_inl.h"
#include "kernels/quantize_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

// Sum over i of (x[i] - mean)^2 in the fixed order.
HWY_INLINE float sum_of_squares(const float* x, size_t count, float mean) {
  const Lanes shift = set_lanes(-mean);
  LaneAccumulators total = zero_accumulators();
  size_t i = 0;
  for (; i + kAccumulators * kVirtualLanes <= count; i += kAccumulators * kVirtualLanes) {
    HWY_UNROLL(4)
    for (size_t a = 0; a < kAccumulators; ++a) {
      const Lanes v = add(load_lanes(x + i + a * kVirtualLanes), shift);
      total.sum[a] = multiply_add(v, v, total.sum[a]);
    }
  }
  HWY_UNROLL(4)
  for (size_t a = 0; a < kAccumulators; ++a) {
    const size_t begin = i + a * kVirtualLanes;
    if (begin >= count) continue;
    const size_t here = count - begin < kVirtualLanes ? count - begin : kVirtualLanes;
    // Lanes behind the end hold `mean`, so that they add nothing.
    Lanes v = here == kVirtualLanes ? load_lanes(x + begin) : load_lanes_n(x + begin, here);
    v = add(v, shift);
    HWY_UNROLL(16)
    for (size_t p = 0; p < kParts; ++p) {
      const size_t left = here > p * kVectorLanes ? here - p * kVectorLanes : 0;
      v.part[p] = hn::IfThenElseZero(hn::FirstN(F32(), left), v.part[p]);
    }
    total.sum[a] = multiply_add(v, v, total.sum[a]);
  }
  return sum(join(total));
}

// sum = input + residual, into `to` (may be `input`).
HWY_INLINE void add_row(const float* input, const float* residual, size_t width, float* to) {
  const F32 d;
  size_t i = 0;
  for (; i + kVectorLanes <= width; i += kVectorLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, input + i), hn::LoadU(d, residual + i)), d, to + i);
  }
  if (i < width) {
    const auto x = hn::Add(hn::LoadN(d, input + i, width - i), hn::LoadN(d, residual + i, width - i));
    hn::StoreN(x, d, to + i, width - i);
  }
}

// y = fma((x - mean) * inverse, scale, bias).
HWY_INLINE VF32 normalize_vector(VF32 x, VF32 mean, VF32 inverse, VF32 scale, VF32 bias) {
  return hn::MulAdd(hn::Mul(hn::Sub(x, mean), inverse), scale, bias);
}

struct RowStatistics {
  float mean;
  float inverse;
};

HWY_INLINE void write_layer_norm(const float* x, const NormalizeOptions& o, RowStatistics s, float* y) {
  const F32 d;
  const auto mean = hn::Set(d, s.mean), inverse = hn::Set(d, s.inverse), zero = hn::Zero(d);
  size_t i = 0;
  for (; i + kVectorLanes <= o.width; i += kVectorLanes) {
    const auto bias = o.bias != nullptr ? hn::LoadU(d, o.bias + i) : zero;
    hn::StoreU(normalize_vector(hn::LoadU(d, x + i), mean, inverse, hn::LoadU(d, o.scale + i), bias), d, y + i);
  }
  if (i < o.width) {
    const size_t n = o.width - i;
    const auto bias = o.bias != nullptr ? hn::LoadN(d, o.bias + i, n) : zero;
    const auto v = normalize_vector(hn::LoadN(d, x + i, n), mean, inverse, hn::LoadN(d, o.scale + i, n), bias);
    hn::StoreN(v, d, y + i, n);
  }
}

HWY_INLINE void write_rms_norm(const float* x, const NormalizeOptions& o, float inverse_rms, float* y) {
  const F32 d;
  const auto inverse = hn::Set(d, inverse_rms);
  size_t i = 0;
  for (; i + kVectorLanes <= o.width; i += kVectorLanes) {
    hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, x + i), inverse), hn::LoadU(d, o.scale + i)), d, y + i);
  }
  if (i < o.width) {
    const size_t n = o.width - i;
    const auto v = hn::Mul(hn::Mul(hn::LoadN(d, x + i, n), inverse), hn::LoadN(d, o.scale + i, n));
    hn::StoreN(v, d, y + i, n);
  }
}

template <bool kCentered>
HWY_INLINE void normalize_rows(const NormalizeOptions& o) {
  const auto stride = [&o](size_t given) { return given != 0 ? given : o.width; };
  for (size_t r = 0; r < o.rows; ++r) {
    const float* x = o.input + r * stride(o.input_stride);
    float* y = o.output != nullptr ? o.output + r * stride(o.output_stride) : o.scratch;
    if (o.residual != nullptr) {
      add_row(x, o.residual + r * stride(o.residual_stride), o.width, y);
      x = y;
    }
    const float count = static_cast<float>(o.width);
    const float mean = kCentered ? sum_row(x, o.width) / count : 0.0f;
    const float inverse = 1.0f / std::sqrt(sum_of_squares(x, o.width, mean) / count + o.epsilon);
    if (kCentered) {
      write_layer_norm(x, o, {mean, inverse}, y);
    } else {
      write_rms_norm(x, o, inverse, y);
    }
    if (o.quantized != nullptr) {
      o.quantization[r] = quantize_row(y, o.width, o.quantized + r * stride(o.quantized_stride));
    }
  }
}

void layer_norm_body(const NormalizeOptions& options) { normalize_rows<true>(options); }
void rms_norm_body(const NormalizeOptions& options) { normalize_rows<false>(options); }

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(normalize)
HWY_EXPORT(layer_norm_body);
HWY_EXPORT(rms_norm_body);

void layer_norm(const NormalizeOptions& options) { HWY_DYNAMIC_DISPATCH(layer_norm_body)(options); }
void rms_norm(const NormalizeOptions& options) { HWY_DYNAMIC_DISPATCH(rms_norm_body)(options); }

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
