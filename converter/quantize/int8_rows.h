// Symmetric int8 quantization of weight rows, one scale per output channel.
// Neighbours: graph/stored_rows quantizes float weights through it; the runtime multiplies element and scale back.
#pragma once

#include <cstdint>
#include <span>

namespace dragoman::converter {

// scale = max|v| / 127, or 1 when the row has nothing that int8 could tell from zero. Always positive and normal.
float int8_row_scale(std::span<const float> row);

// The scale of int8_row_scale or a smaller one that clips: whichever has the least clipping_error (clipping.h) under
// `importance`, one number a column.
float int8_clipped_scale(std::span<const float> row, std::span<const float> importance);

// out[i] = row[i] / scale rounded half to even, within [-127, 127].
void quantize_int8_row(std::span<const float> row, float scale, std::span<int8_t> out);

// out[i] = row[i] * scale.
void restore_int8_row(std::span<const int8_t> row, float scale, std::span<float> out);

}  // namespace dragoman::converter
