// softmax, log_softmax, log_sum_exp and argmax on Highway. Neighbours: exp_sum_inl.h, softmax_reference.cc.
#include "kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/exp_sum_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

// output[i] = input[i] * factor + term; softmax uses the factor, log-softmax the term.
template <bool kProduct>
HWY_INLINE void map_row(const float* input, size_t count, float value, float* output) {
  const F32 d;
  const auto v = hn::Set(d, value);
  const auto apply = [v](VF32 x) HWY_ATTR { return kProduct ? hn::Mul(x, v) : hn::Sub(x, v); };
  size_t i = 0;
  for (; i + kVectorLanes <= count; i += kVectorLanes) {
    hn::StoreU(apply(hn::LoadU(d, input + i)), d, output + i);
  }
  if (i < count) hn::StoreN(apply(hn::LoadN(d, input + i, count - i)), d, output + i, count - i);
}

void softmax_body(const float* input, size_t count, float* output) {
  const float max = max_row(input, count);
  if (max == -std::numeric_limits<float>::infinity()) {
    for (size_t i = 0; i < count; ++i) output[i] = 0.0f;
    return;
  }
  const float inverse = 1.0f / sum_exp(input, count, max, output);
  map_row<true>(output, count, inverse, output);
}

float log_sum_exp_body(const float* input, size_t count) {
  const float max = max_row(input, count);
  if (max == -std::numeric_limits<float>::infinity()) return max;
  return log_sum(max, sum_exp(input, count, max, nullptr));
}

void log_softmax_body(const float* input, size_t count, float* output) {
  const float total = log_sum_exp_body(input, count);
  if (total == -std::numeric_limits<float>::infinity()) {
    for (size_t i = 0; i < count; ++i) output[i] = std::numeric_limits<float>::lowest();
    return;
  }
  map_row<false>(input, count, total, output);
}

size_t argmax_body(const float* input, size_t count) {
  const float lowest = -std::numeric_limits<float>::infinity();
  float best = lowest;
  size_t index = count;
  constexpr size_t kBlock = 256;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t end = count - begin < kBlock ? count : begin + kBlock;
    const F32 d;
    auto top = hn::Set(d, lowest);
    for (size_t i = begin; i < end; i += kVectorLanes) {
      const auto x = hn::LoadNOr(hn::Set(d, lowest), d, input + i, end - i);
      top = hn::Max(hn::IfThenElse(hn::Eq(x, x), x, hn::Set(d, lowest)), top);
    }
    const float max = hn::ReduceMax(d, top);
    if (!(max > best) && index != count) continue;
    for (size_t i = begin; i < end; ++i) {
      // The first number of the row is taken even when it is -infinity.
      if (input[i] > best || (index == count && input[i] == input[i])) {
        best = input[i];
        index = i;
      }
    }
  }
  return index;
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(softmax)
HWY_EXPORT(softmax_body);
HWY_EXPORT(log_softmax_body);
HWY_EXPORT(log_sum_exp_body);
HWY_EXPORT(argmax_body);

void softmax(const float* input, size_t count, float* output) {
  HWY_DYNAMIC_DISPATCH(softmax_body)(input, count, output);
}
void log_softmax(const float* input, size_t count, float* output) {
  HWY_DYNAMIC_DISPATCH(log_softmax_body)(input, count, output);
}
float log_sum_exp(const float* input, size_t count) { return HWY_DYNAMIC_DISPATCH(log_sum_exp_body)(input, count); }
size_t argmax(const float* input, size_t count) { return HWY_DYNAMIC_DISPATCH(argmax_body)(input, count); }

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
