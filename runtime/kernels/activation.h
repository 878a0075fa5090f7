// Elementwise activations and addition over plain arrays.
// Neighbours: ops/activation, ops/elementwise and fused activations of ops/linear.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::kernels {

// Order is internal; ops translate from the schema.
enum class Activation : uint8_t {
  kRelu,         // max(x, 0)
  kSwish,        // x * sigmoid(x)
  kGeluSigmoid,  // x * sigmoid(1.702 x), Marian's gelu (Hendrycks, Gimpel 2016)
  kGeluErf,      // x * (1 + erf(x / sqrt 2)) / 2
  kGeluTanh,     // x * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  kSigmoid,
  kTanh,
};

// output[i] = activation(input[i]) for i < count. Any alignment; output may equal input. Absolute error at most 4e-7 *
// max(1, |x|) against the exact function. NaN stays within its element (relu may turn it into 0).
void activate(Activation activation, const float* input, size_t count, float* output);

// output[i] = a[i] + b[i]. Any alignment; output may equal a or b.
void add(const float* a, const float* b, size_t count, float* output);

// output[i] = a[i] * b[i]. Any alignment; output may equal a or b.
void multiply(const float* a, const float* b, size_t count, float* output);

namespace reference {
void activate(Activation activation, const float* input, size_t count, float* output);
void add(const float* a, const float* b, size_t count, float* output);
void multiply(const float* a, const float* b, size_t count, float* output);
}  // namespace reference

}  // namespace dragoman::kernels
