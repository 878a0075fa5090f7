// Float rows to int8 rows, one scale and zero point per row, chosen at run time from the row's own range.
// Neighbours: ops/linear feeds the rows to kernels/matmul, ops/logits to kernels/logits; normalize.h does it in one
// pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/row_quantization.h"

namespace dragoman::kernels {

struct QuantizeOptions {
  size_t rows = 0;
  size_t width = 0;
  size_t input_stride = 0;   // floats from one input row to the next; 0 means `width`
  size_t output_stride = 0;  // bytes from one output row to the next; 0 means `width`
};

// Asymmetric int8 quantization of `input` f32 [rows, width] into `output` i8 [rows, width] and `quantization` [rows].
// The range always includes 0, which is represented exactly: range = [min(0, row), max(0, row)], steps = 255 / range,
// zero_point = the rounded end with the smaller error, q = clamp(round_half_even(x * steps) + zero_point), scale =
// 1 / steps. That is XNNPACK's convention for dynamically quantized rows (qd8), bit for bit on ordinary rows.
// Any alignment; input and output must not overlap. Every target gives the reference's bits.
// A row of zeros, and a row whose range is below 1e-30, gives scale 1 and q = zero_point everywhere.
// Values beyond +-1e38 do not widen the range beyond +-1e38; they saturate. A row with NaN or infinity gives
// kSpoiledScale, its bytes as if NaN were 0.
void quantize_rows(const float* input, const QuantizeOptions& options, int8_t* output, RowQuantization* quantization);

// How a row with these extremes is quantized (low > high: an empty row). Finite or infinite, not NaN.
struct RowSteps {
  RowQuantization quantization;
  float steps;  // int8 steps per unit: 255 / range
};
RowSteps choose_steps(float low, float high);

namespace reference {
void quantize_rows(const float* input, const QuantizeOptions& options, int8_t* output, RowQuantization* quantization);
}

}  // namespace dragoman::kernels
