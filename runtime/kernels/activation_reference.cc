// Elementwise activations in plain C++: the specification. Neighbours: activation.cc, scalar_math.h.
#include <cmath>

#include "kernels/activation.h"
#include "kernels/scalar_math.h"

namespace dragoman::kernels::reference {
namespace {

float gelu_tanh(float x) {
  float limited = x > -10.0f ? x : -10.0f;
  limited = limited < 10.0f ? limited : 10.0f;
  const float cubic = limited * limited * limited;
  const float inner = std::fma(cubic, math::kGeluTanhCubic, limited);
  const float half = x * 0.5f;
  return std::fma(half, tanh(inner * math::kGeluTanhScale), half);
}

float activate_one(Activation activation, float x) {
  switch (activation) {
    case Activation::kRelu: return x > 0.0f ? x : 0.0f;
    case Activation::kSwish: return x * sigmoid(x);
    case Activation::kGeluSigmoid: return x * sigmoid(x * math::kGeluSigmoidScale);
    case Activation::kGeluErf: return std::fma(x * 0.5f, erf(x * math::kSqrtHalfErf), x * 0.5f);
    case Activation::kGeluTanh: return gelu_tanh(x);
    case Activation::kSigmoid: return sigmoid(x);
    case Activation::kTanh: return tanh(x);
  }
  return x;
}

}  // namespace

void activate(Activation activation, const float* input, size_t count, float* output) {
  for (size_t i = 0; i < count; ++i) output[i] = activate_one(activation, input[i]);
}

void add(const float* a, const float* b, size_t count, float* output) {
  for (size_t i = 0; i < count; ++i) output[i] = a[i] + b[i];
}

void multiply(const float* a, const float* b, size_t count, float* output) {
  for (size_t i = 0; i < count; ++i) output[i] = a[i] * b[i];
}

}  // namespace dragoman::kernels::reference
