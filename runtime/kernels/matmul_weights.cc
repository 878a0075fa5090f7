#include "kernels/matmul_weights.h"

#include "kernels/half.h"
#include "kernels/int4.h"

namespace dragoman::kernels {

void divide_bias_by_scales(const MatmulSpec& spec, float* out) {
  for (size_t o = 0; o < spec.outputs; ++o) out[o] = spec.bias[o] / spec.scales[o];
}

void weights_as_floats(const MatmulSpec& spec, float* out) {
  const Int4Table table = {static_cast<const uint8_t*>(spec.weights), spec.block_scales};
  const auto* halves = static_cast<const uint16_t*>(spec.weights);
  const bool int4 = spec.weight_type == ElementType::kI4;
  for (size_t o = 0; o < spec.outputs; ++o) {
    float* row = out + o * spec.inputs;
    for (size_t i = 0; i < spec.inputs; ++i) {
      row[i] = int4 ? table.row(o, spec.inputs).value(i) : float_from_half(halves[o * spec.inputs + i]);
    }
  }
}

void int4_weights_from_zero(const MatmulSpec& spec, uint8_t* out) {
  const auto* elements = static_cast<const uint8_t*>(spec.weights);
  for (size_t i = 0; i < spec.outputs * spec.inputs / 2; ++i) out[i] = elements[i] ^ 0x88;
}

}  // namespace dragoman::kernels
