// 4-bit quantization of weight rows in blocks of 32 columns, each with a bfloat16 scale.
// Neighbours: graph/stored_rows quantizes float weights through it; layout as in schema/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dragoman::converter {

// Columns that share a scale.
inline constexpr size_t kInt4BlockColumns = 32;

// The bfloat16 scale of each block of `row`, whose length is a multiple of the block: of the scales that use the range
// from -8 to 7 more or less closely, the one with the least clipping_error (clipping.h) under `importance` (one number
// a column; empty: all alike). 1 for a block of zeros; always positive and normal.
void int4_block_scales(std::span<const float> row, std::span<const float> importance, std::span<uint16_t> out);

// Two elements a byte, the even column in the low half, two's complement: row / scale of its block rounded half to
// even, within [-8, 7].
void quantize_int4_row(std::span<const float> row, std::span<const uint16_t> scales, std::span<uint8_t> out);

// The values that such a row stands for.
void restore_int4_row(std::span<const uint8_t> row, std::span<const uint16_t> scales, std::span<float> out);

}  // namespace dragoman::converter
