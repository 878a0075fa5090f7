// Token ids to rows of floats: table row times a constant, plus a position row.
// Neighbours: ops/embed calls it for source tokens and for the previous target token.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/int4.h"

namespace dragoman::kernels {

struct EmbedOptions {
  size_t rows = 0;
  size_t width = 0;
  const int32_t* ids = nullptr;  // [rows]; an id outside [0, table_rows) (-1 by convention) gives a zero row
  size_t table_rows = 0;
  const int8_t* table_i8 = nullptr;       // [table_rows, width], exactly one of the four tables
  const float* table_f32 = nullptr;       // [table_rows, width]
  const uint16_t* table_f16 = nullptr;    // [table_rows, width]
  Int4Table table_i4 = {};                // [table_rows, width], width a multiple of kInt4Block
  const float* table_scales = nullptr;    // [table_rows], with table_i8
  float multiplier = 1.0f;                // sqrt(width) for most families
  const float* positions = nullptr;       // [position_rows, width] or null
  const int32_t* position_ids = nullptr;  // [rows], with positions; outside [0, position_rows): clamped to the ends
  size_t position_rows = 0;
  float* output = nullptr;   // [rows, width]
  size_t output_stride = 0;  // floats between rows; 0 means `width`
};

// The row of `positions` that output row r adds: position_ids[r] clamped to the table.
inline size_t position_row(const EmbedOptions& options, size_t r) {
  const int32_t position = options.position_ids[r];
  if (position < 0) return 0;
  return static_cast<size_t>(position) < options.position_rows ? static_cast<size_t>(position)
                                                               : options.position_rows - 1;
}

// y = E[id] * s + P[position], where s = multiplier for f32, f16 and int4 (whose elements are exact floats) and
// table_scales[id] * multiplier (rounded once) for int8. With positions one fma per element; without, one product. Any
// alignment.
void embed_rows(const EmbedOptions& options);

namespace reference {
void embed_rows(const EmbedOptions& options);
}

}  // namespace dragoman::kernels
