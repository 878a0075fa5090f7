// Sinusoidal position tables, computed once here so that the runtime needs no sine.
// Neighbours: families/ choose the frequencies, PositionTable nodes read the rows.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::converter {

// F32 [positions, width], all sines then all cosines: P(p, i) = sin(p w_i), P(p, h + i) = cos(p w_i),
// w_i = 10000^(-i / (h - 1)), h = width / 2. This is Marian's step (node_initializers.cpp), not that of Vaswani et al.
// (2017), whose exponent is i / h. Computed in double, rounded once. width is even and at least 4.
std::vector<float> marian_position_table(uint64_t positions, uint64_t width);

}  // namespace dragoman::converter
