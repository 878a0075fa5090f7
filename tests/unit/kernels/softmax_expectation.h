// Softmax and attention in double precision with bounds on what float rounding may change.
// Neighbours: test_attention.cc, test_cross_attention.cc, test_softmax.cc.
#pragma once

#include <algorithm>

#include "kernel_check.h"

namespace dragoman::kernels::test {

// Relative error of the float exponential on targets without fma, and with it.
inline constexpr double kExpError = 0x1p-21;

// Weights exp(s - max) of scores that are known up to `score_error`; weight[j].bound is its absolute error.
inline std::vector<Expected> expect_weights(std::span<const double> scores, double score_error) {
  double max = scores.empty() ? 0.0 : *std::max_element(scores.begin(), scores.end());
  std::vector<Expected> weights(scores.size());
  for (size_t j = 0; j < scores.size(); ++j) {
    const double distance = std::max(scores[j] - max, -1e6);
    const double weight = std::exp(distance);
    // Score and maximum are both inexact, their difference is rounded; below e^-87 the weight may be cut to 0.
    const double relative = std::expm1(2 * score_error + kUnit * std::fabs(distance)) + kExpError;
    weights[j] = {weight, weight * relative + 2e-38};
  }
  return weights;
}

struct AttentionOperands {
  const float* query;
  const float* keys;
  const float* values;
  size_t stride;
  size_t length;
  size_t head_width;
  const float* bias;
};

// output [head_width]; probabilities [length] or null.
inline void expect_attention(const AttentionOperands& o, Expected* output, Expected* probabilities) {
  std::vector<double> scores(o.length);
  double score_error = 0;
  for (size_t j = 0; j < o.length; ++j) {
    double magnitude = 0;
    for (size_t c = 0; c < o.head_width; ++c) {
      const double product = static_cast<double>(o.query[c]) * static_cast<double>(o.keys[j * o.stride + c]);
      scores[j] += product;
      magnitude += std::fabs(product);
    }
    if (o.bias != nullptr) scores[j] += static_cast<double>(o.bias[j]);
    if (o.bias != nullptr) magnitude += std::fabs(static_cast<double>(o.bias[j]));
    score_error = std::max(score_error, static_cast<double>(o.head_width + 3) * kUnit * magnitude);
  }
  const std::vector<Expected> weights = expect_weights(scores, score_error);
  double sum = 0, sum_error = 0;
  for (const Expected& w : weights) sum += w.value;
  for (const Expected& w : weights) sum_error += w.bound;
  const double chain = static_cast<double>(o.length + 8) * kUnit;
  const double relative = sum_error / sum + chain;
  for (size_t j = 0; j < o.length && probabilities != nullptr; ++j) {
    probabilities[j] = {weights[j].value / sum, 2 * (weights[j].bound + weights[j].value * relative) / sum + 1e-37};
  }
  for (size_t c = 0; c < o.head_width; ++c) {
    double total = 0, error = 0;
    for (size_t j = 0; j < o.length; ++j) {
      const double value = o.values[j * o.stride + c];
      total += weights[j].value * value;
      error += std::fabs(value) * (weights[j].bound + weights[j].value * relative);
    }
    output[c] = o.length == 0 ? Expected{0, 0} : Expected{total / sum, 2 * error / sum + 1e-37};
  }
}

}  // namespace dragoman::kernels::test
