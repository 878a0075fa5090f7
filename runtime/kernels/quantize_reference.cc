// quantize_rows in plain C++: the specification, and the choice of scale and zero point that every target shares.
// Neighbours: quantize.cc, quantize_inl.h.
#include <algorithm>
#include <cmath>

#include "kernels/math_constants.h"
#include "kernels/quantize.h"

namespace dragoman::kernels {
namespace {

// Keeps range and range * steps finite.
constexpr float kLargest = 1e38f;
// Below it 255 / range would leave the range of floats.
constexpr float kSmallestRange = 1e-30f;

float round_half_even(float x) { return (x + math::kRoundingShift) - math::kRoundingShift; }

}  // namespace

RowSteps choose_steps(float low, float high) {
  low = std::max(std::min(low, 0.0f), -kLargest);
  high = std::min(std::max(high, 0.0f), kLargest);
  if (high - low < kSmallestRange) return {{127, 1.0f}, 0.0f};
  const float steps = 255.0f / (high - low);
  const float scaled_low = low * steps;
  const float scaled_high = high * steps;
  const bool from_low = (-128.0f + scaled_low) + (127.0f + scaled_high) > 0.0f;
  const float zero_point = from_low ? -128.0f - scaled_low : 127.0f - scaled_high;
  const float rounded = round_half_even(std::min(std::max(zero_point, -128.0f), 127.0f));
  return {{static_cast<int32_t>(rounded), 1.0f / steps}, steps};
}

namespace reference {

void quantize_rows(const float* input, const QuantizeOptions& options, int8_t* output, RowQuantization* quantization) {
  const size_t input_stride = options.input_stride != 0 ? options.input_stride : options.width;
  const size_t output_stride = options.output_stride != 0 ? options.output_stride : options.width;
  for (size_t r = 0; r < options.rows; ++r) {
    const float* row = input + r * input_stride;
    float low = 0.0f, high = 0.0f;
    bool finite = true;
    for (size_t i = 0; i < options.width; ++i) {
      const float x = std::isnan(row[i]) ? 0.0f : row[i];
      low = std::min(low, x);
      high = std::max(high, x);
      finite = finite && std::isfinite(row[i]);
    }
    const RowSteps steps = choose_steps(low, high);
    for (size_t i = 0; i < options.width; ++i) {
      const float scaled = (std::isnan(row[i]) ? 0.0f : row[i]) * steps.steps;
      const float bounded = std::min(std::max(scaled, -512.0f), 512.0f);
      const int32_t q = static_cast<int32_t>(round_half_even(bounded)) + steps.quantization.zero_point;
      output[r * output_stride + i] = static_cast<int8_t>(std::min(std::max(q, -128), 127));
    }
    quantization[r] = {steps.quantization.zero_point, finite ? steps.quantization.scale : kSpoiledScale};
  }
}

}  // namespace reference
}  // namespace dragoman::kernels
