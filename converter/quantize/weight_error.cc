// Sums of squares in double precision.
// Neighbours: weight_error.h.
#include "converter/quantize/weight_error.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace dragoman::converter {
namespace {

double decibels(double signal, double noise) {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

}  // namespace

void WeightError::add(std::span<const float> row, std::span<const float> stored, std::span<const float> importance) {
  weighted_ |= !importance.empty();
  for (size_t i = 0; i < row.size(); ++i) {
    const double value = row[i];
    const double error = value - static_cast<double>(stored[i]);
    signal_ += value * value;
    noise_ += error * error;
    if (importance.empty()) continue;
    const double weight = importance[i];
    output_signal_ += weight * value * value;
    output_noise_ += weight * error * error;
  }
}

double WeightError::signal_to_noise_db() const { return decibels(signal_, noise_); }

std::optional<double> WeightError::output_signal_to_noise_db() const {
  if (!weighted_) return std::nullopt;
  return decibels(output_signal_, output_noise_);
}

}  // namespace dragoman::converter
