// The shorter float types that weights and scales are stored in.
// Neighbours: graph/stored_rows writes them; frontends/source reads them.
#pragma once

#include <cstdint>

namespace dragoman::converter {

// Largest magnitude that half_from_float does not round to infinity: half a last place above 65504.
inline constexpr float kHalfLimit = 65520.0f;

// The nearest IEEE 754 binary16, ties to even. |x| < kHalfLimit.
uint16_t half_from_float(float x);

// The nearest bfloat16, ties to even. `x` is finite; the largest floats round to infinity.
uint16_t bfloat16_from_float(float x);

// Exact.
float float_from_bfloat16(uint16_t x);

}  // namespace dragoman::converter
