// Position tables in double precision.
// Neighbours: positions.h.
#include "converter/graph/positions.h"

#include <cmath>

namespace dragoman::converter {

std::vector<float> marian_position_table(uint64_t positions, uint64_t width) {
  const uint64_t half = width / 2;
  const double step = std::log(10000.0) / static_cast<double>(half - 1);
  std::vector<float> table(static_cast<size_t>(positions * width));
  for (uint64_t p = 0; p < positions; ++p) {
    for (uint64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(p) * std::exp(-static_cast<double>(i) * step);
      table[p * width + i] = static_cast<float>(std::sin(angle));
      table[p * width + half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

}  // namespace dragoman::converter
