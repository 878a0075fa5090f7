// Plain loops; the order of operations is the contract.
// Neighbours: see matmul_reference.h.
#include "kernels/matmul_reference.h"

#include <cmath>

namespace dragoman::kernels {
namespace {

// sum_i (q[i] - zero_point) * weight[i] exactly in int32, scaled by the row, then by the channel fused with the bias.
float quantized_dot(const MatmulSpec& spec, const int8_t* row, RowQuantization quantization, size_t output) {
  const int8_t* weights = static_cast<const int8_t*>(spec.weights) + output * spec.inputs;
  int32_t sum = 0;
  for (size_t i = 0; i < spec.inputs; ++i) sum += (int32_t{row[i]} - quantization.zero_point) * int32_t{weights[i]};
  const float bias = spec.bias == nullptr ? 0.0F : spec.bias[output];
  return std::fma(static_cast<float>(sum) * quantization.scale, spec.scales[output], bias);
}

// Starts from the bias (divided by the channel's scale for int8 weights), adds fused terms in order, scales at the end.
float float_dot(const MatmulSpec& spec, const float* row, size_t output) {
  const bool int8_weights = spec.weight_type == ElementType::kI8;
  const float scale = int8_weights ? spec.scales[output] : 1.0F;
  const size_t first = output * spec.inputs;
  float sum = spec.bias == nullptr ? 0.0F : spec.bias[output] / scale;
  for (size_t i = 0; i < spec.inputs; ++i) {
    const float weight = int8_weights ? static_cast<float>(static_cast<const int8_t*>(spec.weights)[first + i])
                                      : static_cast<const float*>(spec.weights)[first + i];
    sum = std::fma(row[i], weight, sum);
  }
  return sum * scale;
}

}  // namespace

void matmul_reference(const MatmulSpec& spec, const MatmulRows& rows, float* out) {
  for (size_t r = 0; r < rows.count; ++r) {
    for (size_t o = 0; o < spec.outputs; ++o) {
      const size_t first = r * spec.input_step();
      const float value =
          spec.input == MatmulInput::kQuantizedRows
              ? quantized_dot(spec, static_cast<const int8_t*>(rows.values) + first, rows.quantization[r], o)
              : float_dot(spec, static_cast<const float*>(rows.values) + first, o);
      out[r * spec.output_step() + o] = std::fmin(std::fmax(value, spec.output_min), spec.output_max);
    }
  }
}

}  // namespace dragoman::kernels
