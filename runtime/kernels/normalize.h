// Layer norm and RMS norm over rows, with the residual added and int8 rows written in the same pass when wanted.
// Neighbours: ops/layer_norm and ops/rms_norm call it; the int8 rows feed kernels/matmul.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/quantize.h"

namespace dragoman::kernels {

// All pointers may have any alignment. `output` may be the same buffer as `input` or `residual`, row by row.
struct NormalizeOptions {
  size_t rows = 0;
  size_t width = 0;
  float epsilon = 1e-6f;
  const float* input = nullptr;     // [rows, width]
  const float* residual = nullptr;  // [rows, width], added to input before normalizing; or null
  const float* scale = nullptr;     // [width]
  const float* bias = nullptr;      // [width] or null (rms_norm ignores it)
  size_t input_stride = 0;          // floats between rows; 0 means `width`. The same for the three below.
  size_t residual_stride = 0;
  size_t output_stride = 0;
  size_t quantized_stride = 0;              // bytes; 0 means `width`
  float* output = nullptr;                  // [rows, width]; null only when `quantized` is given
  int8_t* quantized = nullptr;              // [rows, width] or null
  RowQuantization* quantization = nullptr;  // [rows], with `quantized`; exactly what quantize_rows(output) would give
  float* scratch = nullptr;                 // [width]; needed only when `output` is null, one per thread
};

// y = (x - mean) / sqrt(variance + epsilon) * scale + bias with x = input + residual and the biased variance
// (Ba, Kiros, Hinton 2016). Rounding: inverse = 1 / sqrt(variance + epsilon), y = fma((x - mean) * inverse, scale,
// bias). A row with NaN or infinity gives NaN in that row only.
void layer_norm(const NormalizeOptions& options);

// y = x / sqrt(mean(x^2) + epsilon) * scale with x = input + residual (Zhang, Sennrich 2019); y = (x * inverse) *
// scale.
void rms_norm(const NormalizeOptions& options);

namespace reference {
void layer_norm(const NormalizeOptions& options);
void rms_norm(const NormalizeOptions& options);
}  // namespace reference

}  // namespace dragoman::kernels
