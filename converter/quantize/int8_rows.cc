// Row quantizer; plain double arithmetic, so every machine writes the same file.
// Neighbours: int8_rows.h.
#include "converter/quantize/int8_rows.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace dragoman::converter {

float int8_row_scale(std::span<const float> row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::fabs(value));
  const float scale = largest / 127.0f;
  return scale < FLT_MIN ? 1.0f : scale;
}

void quantize_int8_row(std::span<const float> row, float scale, std::span<int8_t> out) {
  for (size_t i = 0; i < row.size(); ++i) {
    const double rounded = std::nearbyint(static_cast<double>(row[i]) / static_cast<double>(scale));
    out[i] = static_cast<int8_t>(std::clamp(rounded, -127.0, 127.0));
  }
}

void QuantizationError::add(std::span<const float> row, std::span<const int8_t> quantized, float scale) {
  for (size_t i = 0; i < row.size(); ++i) {
    const double value = row[i];
    const double error = value - static_cast<double>(quantized[i]) * static_cast<double>(scale);
    signal_ += value * value;
    noise_ += error * error;
  }
}

double QuantizationError::signal_to_noise_db() const {
  if (noise_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal_ / noise_);
}

}  // namespace dragoman::converter
