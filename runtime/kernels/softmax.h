// Softmax, log-softmax and argmax of rows.
// Neighbours: search/ and tests; attention kernels have their own softmax over the same arithmetic.
#pragma once

#include <cstddef>

namespace dragoman::kernels {

// output[i] = exp(x_i - max) / sum. A row of nothing but -infinity gives zeros. output may equal input; any alignment.
// NaN is for the caller to keep away, here and below.
// exp over 16 virtual lanes (blocks of 16 alternate between 4 accumulators), multiplied by 1 / sum.
void softmax(const float* input, size_t count, float* output);

// output[i] = x_i - log_sum_exp(input). output may equal input. Lowest float where the whole row is -infinity.
void log_softmax(const float* input, size_t count, float* output);

// log(sum_i exp(x_i)); -infinity for an empty row or one of nothing but -infinity.
float log_sum_exp(const float* input, size_t count);

// Index of the largest value, the lowest index on ties; NaN never wins. `count` when there is nothing to choose.
size_t argmax(const float* input, size_t count);

namespace reference {
void softmax(const float* input, size_t count, float* output);
void log_softmax(const float* input, size_t count, float* output);
float log_sum_exp(const float* input, size_t count);
size_t argmax(const float* input, size_t count);
}  // namespace reference

}  // namespace dragoman::kernels
