// Rounding on the bits.
// Neighbours: float_types.h.
#include "converter/quantize/float_types.h"

#include <bit>
#include <cmath>

namespace dragoman::converter {

uint16_t half_from_float(float x) {
  const uint32_t sign = std::bit_cast<uint32_t>(x) >> 16 & 0x8000u;
  const float magnitude = std::fabs(x);
  if (magnitude < 0x1p-14f) {  // subnormal: a multiple of 2^-24, which may round up to the smallest normal one
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  }
  const uint32_t bits = std::bit_cast<uint32_t>(magnitude);
  const uint32_t rounded = bits + 0xFFFu + ((bits >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

uint16_t bfloat16_from_float(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

float float_from_bfloat16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

}  // namespace dragoman::converter
