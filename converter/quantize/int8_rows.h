// Symmetric int8 quantization of weight rows, one scale per output channel.
// Neighbours: graph/weights quantizes float weights through it; the runtime multiplies element and scale back.
#pragma once

#include <cstdint>
#include <span>

namespace dragoman::converter {

// scale = max|v| / 127, or 1 when the row has nothing that int8 could tell from zero. Always positive and normal.
float int8_row_scale(std::span<const float> row);

// out[i] = row[i] / scale rounded half to even, within [-127, 127].
void quantize_int8_row(std::span<const float> row, float scale, std::span<int8_t> out);

// Energy of a weight and of the error made on it, summed row by row.
class QuantizationError {
 public:
  void add(std::span<const float> row, std::span<const int8_t> quantized, float scale);
  // 10 log10(signal / noise); infinite when nothing was lost.
  double signal_to_noise_db() const;

 private:
  double signal_ = 0;
  double noise_ = 0;
};

}  // namespace dragoman::converter
