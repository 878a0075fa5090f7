// One step of the simpler simple recurrent unit, the recurrent decoder cell of Bergamot/Firefox students.
// Neighbours: ops/ssru calls it on the rows of one fused Linear (candidate | forget gate).
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::kernels {

// State buffers are [slots, width], contiguous. A row reads the state of slot parents[row] and writes slots[row].
struct SsruOptions {
  size_t rows = 0;
  size_t width = 0;
  const float* input = nullptr;     // [rows, 2 * width]: candidate x | gate pre-activation g (bias included)
  size_t input_stride = 0;          // floats between rows; 0 means 2 * width
  const float* previous = nullptr;  // [slots, width]
  float* next = nullptr;  // [slots, width]; may equal `previous` when no row reads a slot that an earlier row wrote
  const int32_t* parents =
      nullptr;  // [rows] slot read by each row, negative: zeros (first step); null: row r reads slot r
  const int32_t* slots = nullptr;  // [rows] slot written by each row; null: row r writes slot r
  float* output = nullptr;         // [rows, width]; may overlap nothing but itself
  size_t output_stride = 0;        // floats between rows; 0 means `width`
};

// f = sigmoid(g), c = f * c_previous + (1 - f) * x, h = max(c, 0) (Kim et al. 2019, "From Research to Production and
// Back"). Rounding: c = fma(f, c_previous, (1 - f) * x). NaN stays within its element.
void ssru_step(const SsruOptions& options);

namespace reference {
void ssru_step(const SsruOptions& options);
}

}  // namespace dragoman::kernels
