// Rows of 4-bit integers with a scale per block: what stored int4 weights stand for.
// Neighbours: int4_inl.h reads them on vectors; kernels/matmul, embed and logits take such weights.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace dragoman::kernels {

// Columns that share a scale; the width of int4 rows is a multiple of it.
inline constexpr size_t kInt4Block = 32;

inline float float_from_bfloat16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

// One row: two elements a byte, the even column in the low half, two's complement; value = element * scale of its
// block.
struct Int4Row {
  const uint8_t* elements = nullptr;  // [width / 2]
  const uint16_t* scales = nullptr;   // [width / kInt4Block] bfloat16

  // Exact: an element has three significant bits, a scale eight.
  float value(size_t column) const {
    const int nibble = elements[column / 2] >> (column % 2 * 4) & 15;
    return static_cast<float>((nibble ^ 8) - 8) * float_from_bfloat16(scales[column / kInt4Block]);
  }
};

// A matrix [rows, width] of such rows.
struct Int4Table {
  const uint8_t* elements = nullptr;  // [rows, width / 2]
  const uint16_t* scales = nullptr;   // [rows, width / kInt4Block]

  Int4Row row(size_t index, size_t width) const {
    return {elements + index * (width / 2), scales + index * (width / kInt4Block)};
  }
};

}  // namespace dragoman::kernels
