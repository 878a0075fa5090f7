// How one row of int8 activations stands for floats.
// Neighbours: kernels/quantize makes it, kernels/matmul and the row-selected dot products read it.
#pragma once

#include <cstdint>
#include <limits>

namespace dragoman::kernels {

// value = (q - zero_point) * scale, asymmetric, one per row. Same layout as XNNPACK's xnn_quantization_params.
struct RowQuantization {
  int32_t zero_point;
  float scale;
};

// The scale of a row that held NaN or infinity: what is computed from the row is then not finite either, and the search
// tells of it instead of choosing among plausible numbers.
inline constexpr float kSpoiledScale = std::numeric_limits<float>::quiet_NaN();

}  // namespace dragoman::kernels
