// layer_norm and rms_norm in plain C++: the specification. Neighbours: normalize.cc, scalar_math.h.
#include <cmath>

#include "kernels/normalize.h"
#include "kernels/scalar_math.h"

namespace dragoman::kernels::reference {
namespace {

template <bool kCentered>
void normalize_rows(const NormalizeOptions& o) {
  const auto stride = [&o](size_t given) { return given != 0 ? given : o.width; };
  for (size_t r = 0; r < o.rows; ++r) {
    const float* input = o.input + r * stride(o.input_stride);
    const float* residual = o.residual != nullptr ? o.residual + r * stride(o.residual_stride) : nullptr;
    float* y = o.output != nullptr ? o.output + r * stride(o.output_stride) : o.scratch;
    for (size_t i = 0; i < o.width; ++i) y[i] = residual != nullptr ? input[i] + residual[i] : input[i];
    const float count = static_cast<float>(o.width);
    LaneSum total, squares;
    for (size_t i = 0; i < o.width; ++i) total.add(i, y[i]);
    const float mean = kCentered ? total.total() / count : 0.0f;
    for (size_t i = 0; i < o.width; ++i) squares.multiply_add(i, y[i] - mean, y[i] - mean);
    const float inverse = 1.0f / std::sqrt(squares.total() / count + o.epsilon);
    for (size_t i = 0; i < o.width; ++i) {
      const float bias = o.bias != nullptr ? o.bias[i] : 0.0f;
      const float unit = (y[i] - mean) * inverse;
      y[i] = kCentered ? std::fma(unit, o.scale[i], bias) : unit * o.scale[i];
    }
    if (o.quantized != nullptr) {
      const QuantizeOptions row = {.rows = 1, .width = o.width};
      reference::quantize_rows(y, row, o.quantized + r * stride(o.quantized_stride), o.quantization + r);
    }
  }
}

}  // namespace

void layer_norm(const NormalizeOptions& options) { normalize_rows<true>(options); }
void rms_norm(const NormalizeOptions& options) { normalize_rows<false>(options); }

}  // namespace dragoman::kernels::reference
