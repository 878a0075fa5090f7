// Energy of a weight and of the error made on it, summed row by row.
// Neighbours: graph/stored_rows measures with it, the report shows it.
#pragma once

#include <optional>
#include <span>

namespace dragoman::converter {

class WeightError {
 public:
  // `stored` is what the file holds for `row`. `importance`, when not empty, has the mean square of each input.
  void add(std::span<const float> row, std::span<const float> stored, std::span<const float> importance);

  // 10 log10(signal / noise); infinite when nothing was lost.
  double signal_to_noise_db() const;
  // The same with every column weighted; absent when there was no importance.
  std::optional<double> output_signal_to_noise_db() const;

 private:
  double signal_ = 0, noise_ = 0;
  double output_signal_ = 0, output_noise_ = 0;
  bool weighted_ = false;
};

}  // namespace dragoman::converter
