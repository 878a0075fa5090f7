// The step of a symmetric quantizer that costs least: large values may be clipped so that the others get finer steps.
// Neighbours: int8_rows and int4_blocks look for their scales with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dragoman::converter {

// Values v become s * q with q = v / s rounded half to even, within [low, high].
struct Grid {
  float low = 0;
  float high = 0;
};

// `x` rounded half to even, without the call that nearbyint is where the instruction set is old. |x| < 2^51.
inline double round_even(double x) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: no place is left for a fraction
  return x + kMagic - kMagic;
}

// sum_i importance[i] * (values[i] - step * q_i)^2. With importance[i] the mean square of input i it is the expected
// squared error that a layer's output takes from one row of weights, inputs taken as uncorrelated. Values and steps are
// at most about 1 in size. Both spans have one length.
float clipping_error(std::span<const float> values, std::span<const float> importance, float step, Grid grid);

// For the q that `step` gives, the step with the least such error: sum (importance v q) / sum (importance q^2), the
// solution of the least-squares problem in one unknown. `step` itself when all q are 0.
float least_squares_step(std::span<const float> values, std::span<const float> importance, float step, Grid grid);

}  // namespace dragoman::converter
