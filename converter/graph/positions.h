// Tables of sinusoidal positions.
// Neighbours: families/ store them as tensors.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::converter {

// Where the frequencies end: kOpen is 10000^(-2 i / width), the original formula, kClosed is 10000^(-i / (width / 2 -
// 1)) as tensor2tensor, fairseq and Marian have it.
enum class SinusoidStep : uint8_t { kOpen, kClosed };

// [positions, width], row p for position p + first: all sines, then all cosines (never interleaved). Computed in double
// precision. `width` is even and at least 4.
std::vector<float> sinusoid_table(uint64_t positions, uint64_t width, SinusoidStep step, uint64_t first = 0);

}  // namespace dragoman::converter
