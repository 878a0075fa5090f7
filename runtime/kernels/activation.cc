// Elementwise activations, sums and products on Highway. Neighbours: math_inl.h, activation_reference.cc.
#include "kernels/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/lanes_inl.h"
#include "kernels/math_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

template <Activation kActivation>
HWY_INLINE VF32 activate_vector(VF32 x) {
  const F32 d;
  if constexpr (kActivation == Activation::kRelu) {
    return hn::Max(x, hn::Zero(d));
  } else if constexpr (kActivation == Activation::kSwish) {
    return hn::Mul(x, sigmoid(d, x));
  } else if constexpr (kActivation == Activation::kGeluSigmoid) {
    return hn::Mul(x, sigmoid(d, hn::Mul(x, hn::Set(d, math::kGeluSigmoidScale))));
  } else if constexpr (kActivation == Activation::kGeluErf) {
    const auto half = hn::Mul(x, hn::Set(d, 0.5f));
    return hn::MulAdd(half, erf(d, hn::Mul(x, hn::Set(d, math::kSqrtHalfErf))), half);
  } else if constexpr (kActivation == Activation::kGeluTanh) {
    const auto half = hn::Mul(x, hn::Set(d, 0.5f));
    // Beyond 10 the tanh is 1 and the cube would only overflow.
    const auto limited = hn::Min(hn::Max(x, hn::Set(d, -10.0f)), hn::Set(d, 10.0f));
    const auto cubic = hn::Mul(hn::Mul(limited, limited), limited);
    const auto inner = hn::MulAdd(cubic, hn::Set(d, math::kGeluTanhCubic), limited);
    return hn::MulAdd(half, tanh(d, hn::Mul(inner, hn::Set(d, math::kGeluTanhScale))), half);
  } else if constexpr (kActivation == Activation::kSigmoid) {
    return sigmoid(d, x);
  } else {
    return tanh(d, x);
  }
}

template <Activation kActivation>
HWY_INLINE void activate_all(const float* input, size_t count, float* output) {
  const F32 d;
  size_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    hn::StoreU(activate_vector<kActivation>(hn::LoadU(d, input + i)), d, output + i);
  }
  if (i < count) {
    hn::StoreN(activate_vector<kActivation>(hn::LoadN(d, input + i, count - i)), d, output + i, count - i);
  }
}

void activate_body(Activation activation, const float* input, size_t count, float* output) {
  switch (activation) {
    case Activation::kRelu: return activate_all<Activation::kRelu>(input, count, output);
    case Activation::kSwish: return activate_all<Activation::kSwish>(input, count, output);
    case Activation::kGeluSigmoid: return activate_all<Activation::kGeluSigmoid>(input, count, output);
    case Activation::kGeluErf: return activate_all<Activation::kGeluErf>(input, count, output);
    case Activation::kGeluTanh: return activate_all<Activation::kGeluTanh>(input, count, output);
    case Activation::kSigmoid: return activate_all<Activation::kSigmoid>(input, count, output);
    case Activation::kTanh: return activate_all<Activation::kTanh>(input, count, output);
  }
}

template <bool kProduct>
HWY_INLINE void combine(const float* a, const float* b, size_t count, float* output) {
  const F32 d;
  const auto apply = [](VF32 x, VF32 y) HWY_ATTR { return kProduct ? hn::Mul(x, y) : hn::Add(x, y); };
  size_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    hn::StoreU(apply(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, output + i);
  }
  if (i < count) {
    const size_t n = count - i;
    hn::StoreN(apply(hn::LoadN(d, a + i, n), hn::LoadN(d, b + i, n)), d, output + i, n);
  }
}

void add_body(const float* a, const float* b, size_t count, float* output) { combine<false>(a, b, count, output); }
void multiply_body(const float* a, const float* b, size_t count, float* output) { combine<true>(a, b, count, output); }

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(activation)
HWY_EXPORT(activate_body);
HWY_EXPORT(add_body);
HWY_EXPORT(multiply_body);

void activate(Activation activation, const float* input, size_t count, float* output) {
  HWY_DYNAMIC_DISPATCH(activate_body)(activation, input, count, output);
}
void add(const float* a, const float* b, size_t count, float* output) {
  HWY_DYNAMIC_DISPATCH(add_body)(a, b, count, output);
}
void multiply(const float* a, const float* b, size_t count, float* output) {
  HWY_DYNAMIC_DISPATCH(multiply_body)(a, b, count, output);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
