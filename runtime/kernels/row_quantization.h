// How one row of int8 activations stands for floats.
// Neighbours: kernels/quantize makes it, kernels/matmul and the row-selected dot products read it.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

// value = (q - zero_point) * scale, asymmetric, one per row. Same layout as XNNPACK's xnn_quantization_params.
struct RowQuantization {
  int32_t zero_point;
  float scale;
};

}  // namespace dragoman::kernels
