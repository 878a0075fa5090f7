// Position tables in double precision.
// Neighbours: positions.h.
#include "converter/graph/positions.h"

#include <cmath>

namespace dragoman::converter {

std::vector<float> sinusoid_table(uint64_t positions, uint64_t width, SinusoidStep step, uint64_t first) {
  const uint64_t half = width / 2;
  const uint64_t steps = step == SinusoidStep::kClosed ? half - 1 : half;
  const double increment = std::log(10000.0) / static_cast<double>(steps);
  std::vector<float> table(static_cast<size_t>(positions * width));
  for (uint64_t p = 0; p < positions; ++p) {
    for (uint64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(p + first) * std::exp(-static_cast<double>(i) * increment);
      table[p * width + i] = static_cast<float>(std::sin(angle));
      table[p * width + half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

}  // namespace dragoman::converter
