// Plain loops; the order of operations is the contract.
// Neighbours: see matmul_reference.h.
#include "kernels/matmul_reference.h"

#include <cmath>

#include "kernels/half.h"

namespace dragoman::kernels {
namespace {

// Exact within a block of int4 weights, then as floats, block after block. XNNPACK may join blocks in another order.
float quantized_int4_dot(const MatmulSpec& spec, const int8_t* row, RowQuantization quantization, size_t output) {
  const Int4Table table = {static_cast<const uint8_t*>(spec.weights), spec.block_scales};
  const Int4Row weights = table.row(output, spec.inputs);
  float sum = 0.0F;
  for (size_t i = 0; i < spec.inputs; ++i) {
    sum = std::fma(static_cast<float>(int32_t{row[i]} - quantization.zero_point), weights.value(i), sum);
  }
  const float bias = spec.bias == nullptr ? 0.0F : spec.bias[output];
  return std::fma(sum, quantization.scale, bias);
}

// sum_i (q[i] - zero_point) * weight[i] exactly in int32, scaled by the row, then by the channel fused with the bias.
float quantized_dot(const MatmulSpec& spec, const int8_t* row, RowQuantization quantization, size_t output) {
  if (spec.weight_type == ElementType::kI4) return quantized_int4_dot(spec, row, quantization, output);
  const int8_t* weights = static_cast<const int8_t*>(spec.weights) + output * spec.inputs;
  int32_t sum = 0;
  for (size_t i = 0; i < spec.inputs; ++i) sum += (int32_t{row[i]} - quantization.zero_point) * int32_t{weights[i]};
  const float bias = spec.bias == nullptr ? 0.0F : spec.bias[output];
  return std::fma(static_cast<float>(sum) * quantization.scale, spec.scales[output], bias);
}

float weight_of(const MatmulSpec& spec, size_t output, size_t i) {
  const size_t at = output * spec.inputs + i;
  switch (spec.weight_type) {
    case ElementType::kI8: return static_cast<float>(static_cast<const int8_t*>(spec.weights)[at]);
    case ElementType::kF16: return float_from_half(static_cast<const uint16_t*>(spec.weights)[at]);
    case ElementType::kI4:
      return Int4Table{static_cast<const uint8_t*>(spec.weights), spec.block_scales}.row(output, spec.inputs).value(i);
    default: return static_cast<const float*>(spec.weights)[at];
  }
}

// Starts from the bias (divided by the channel's scale for int8 weights), adds fused terms in order, scales at the end.
float float_dot(const MatmulSpec& spec, const float* row, size_t output) {
  const bool int8_weights = spec.weight_type == ElementType::kI8;
  const float scale = int8_weights ? spec.scales[output] : 1.0F;
  float sum = spec.bias == nullptr ? 0.0F : spec.bias[output] / scale;
  for (size_t i = 0; i < spec.inputs; ++i) {
    sum = std::fma(row[i], weight_of(spec, output, i), sum);
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
      const bool spoiled = spec.input == MatmulInput::kQuantizedRows && std::isnan(rows.quantization[r].scale);
      const float bounded = std::fmin(std::fmax(value, spec.output_min), spec.output_max);
      out[r * spec.output_step() + o] = spoiled ? kSpoiledScale : bounded;
    }
  }
}

}  // namespace dragoman::kernels
