// softmax, log_softmax, log_sum_exp and argmax in plain C++: the specification. Neighbours: softmax.cc, scalar_math.h.
#include <limits>

#include "kernels/scalar_math.h"
#include "kernels/softmax.h"

namespace dragoman::kernels::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float largest(const float* input, size_t count) {
  float max = -kInfinity;
  for (size_t i = 0; i < count; ++i) max = input[i] > max ? input[i] : max;
  return max;
}

float sum_exp(const float* input, size_t count, float max) {
  LaneSum total;
  for (size_t i = 0; i < count; ++i) total.add(i, exp(input[i] - max));
  return total.total();
}

}  // namespace

void softmax(const float* input, size_t count, float* output) {
  const float max = largest(input, count);
  if (max == -kInfinity) {
    for (size_t i = 0; i < count; ++i) output[i] = 0.0f;
    return;
  }
  const float inverse = 1.0f / sum_exp(input, count, max);
  for (size_t i = 0; i < count; ++i) output[i] = exp(input[i] - max) * inverse;
}

float log_sum_exp(const float* input, size_t count) {
  const float max = largest(input, count);
  if (max == -kInfinity || max == kInfinity) return max;
  return max + log(sum_exp(input, count, max));
}

void log_softmax(const float* input, size_t count, float* output) {
  const float total = log_sum_exp(input, count);
  for (size_t i = 0; i < count; ++i) {
    output[i] = total == -kInfinity ? std::numeric_limits<float>::lowest() : input[i] - total;
  }
}

size_t argmax(const float* input, size_t count) {
  size_t best = count;
  for (size_t i = 0; i < count; ++i) {
    if (input[i] == input[i] && (best == count || input[i] > input[best])) best = i;
  }
  return best;
}

}  // namespace dragoman::kernels::reference
