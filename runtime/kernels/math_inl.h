// Elementary functions on vectors of floats, compiled once per target. No libm; see math_constants.h for the fits.
// Neighbours: every kernel body with an exponential; scalar_math.h holds the same operations in plain C++.

#include "hwy/highway.h"
#include "kernels/math_constants.h"

#if defined(DRAGOMAN_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_MATH_INL_H_
#undef DRAGOMAN_KERNELS_MATH_INL_H_
#else
#define DRAGOMAN_KERNELS_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Horner's scheme from the highest coefficient, one multiply-add a step.
template <class D, size_t kCount>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> x, const float (&coefficients)[kCount]) {
  hn::Vec<D> y = hn::Set(d, coefficients[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) y = hn::MulAdd(y, x, hn::Set(d, coefficients[i]));
  return y;
}

// exp(x): relative error below 2^-22; 0 below -87 (and for -infinity), exp(88) above 88; NaN for NaN.
template <class D>
HWY_INLINE hn::Vec<D> exp(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  const auto lowest = hn::Set(d, math::kExpLowest);
  const auto clamped = hn::Min(hn::Max(x, lowest), hn::Set(d, math::kExpHighest));
  const auto shift = hn::Set(d, math::kRoundingShift);
  const auto shifted = hn::MulAdd(clamped, hn::Set(d, math::kLog2E), shift);
  const auto n = hn::Sub(shifted, shift);
  auto r = hn::NegMulAdd(n, hn::Set(d, math::kLn2High), clamped);
  r = hn::NegMulAdd(n, hn::Set(d, math::kLn2Low), r);
  auto p = hn::MulAdd(hn::Mul(r, r), polynomial(d, r, math::kExp), r);
  p = hn::Add(p, hn::Set(d, 1.0f));
  // The low bits of `shifted` are n; adding them to the exponent field multiplies by 2^n.
  const auto bits = hn::Add(hn::BitCast(du, p), hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  const auto y = hn::IfThenZeroElse(hn::Lt(x, lowest), hn::BitCast(d, bits));
  return hn::IfThenElse(hn::Eq(x, x), y, x);  // the clamp has lost it
}

// log(x) for normal, finite x > 0: relative error below 2^-22 away from 1, absolute near it.
template <class D>
HWY_INLINE hn::Vec<D> log(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto sqrt_half = hn::BitCast(du, hn::Set(d, math::kSqrtHalf));
  const auto offset = hn::Sub(hn::BitCast(du, x), sqrt_half);
  const auto e = hn::ConvertTo(d, hn::ShiftRight<23>(hn::BitCast(di, offset)));
  const auto mantissa = hn::BitCast(d, hn::Add(hn::And(offset, hn::Set(du, 0x7FFFFFu)), sqrt_half));
  const auto f = hn::Sub(mantissa, hn::Set(d, 1.0f));
  const auto square = hn::Mul(f, f);
  auto y = hn::Mul(hn::Mul(f, square), polynomial(d, f, math::kLog));
  y = hn::MulAdd(e, hn::Set(d, math::kLn2Low), y);
  y = hn::MulAdd(square, hn::Set(d, -0.5f), y);
  return hn::MulAdd(e, hn::Set(d, math::kLn2High), hn::Add(f, y));
}

template <class D>
HWY_INLINE hn::Vec<D> sigmoid(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(exp(d, hn::Sub(hn::Zero(d), x)), one));
}

template <class D>
HWY_INLINE hn::Vec<D> tanh(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  const auto magnitude = hn::Abs(x);
  const auto square = hn::Mul(x, x);
  const auto small = hn::MulAdd(hn::Mul(square, magnitude), polynomial(d, square, math::kTanh), magnitude);
  const auto e = exp(d, hn::Add(magnitude, magnitude));
  const auto large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one)));
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, math::kTanhSmall)), small, large), x);
}

template <class D>
HWY_INLINE hn::Vec<D> erf(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  const auto magnitude = hn::Min(hn::Abs(x), hn::Set(d, math::kErfHighest));
  const auto small = hn::Mul(magnitude, polynomial(d, hn::Mul(magnitude, magnitude), math::kErf));
  const auto exponent = hn::Sub(hn::Zero(d), polynomial(d, magnitude, math::kErfTail));
  const auto large = hn::Sub(one, exp(d, exponent));
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, one), small, large), x);
}

// The same functions on one float, on the same target.
HWY_INLINE float exp_scalar(float x) {
  const hn::CappedTag<float, 1> d;
  return hn::GetLane(exp(d, hn::Set(d, x)));
}

HWY_INLINE float log_scalar(float x) {
  const hn::CappedTag<float, 1> d;
  return hn::GetLane(log(d, hn::Set(d, x)));
}

HWY_INLINE float multiply_add_scalar(float a, float b, float c) {
  const hn::CappedTag<float, 1> d;
  return hn::GetLane(hn::MulAdd(hn::Set(d, a), hn::Set(d, b), hn::Set(d, c)));
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
