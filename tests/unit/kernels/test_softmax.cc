// softmax, log_softmax, log_sum_exp, argmax: double precision, reference bits, masked rows, ties, NaN.
#include <limits>

#include "kernel_check.h"
#include "kernels/softmax.h"
#include "softmax_expectation.h"

namespace dragoman::kernels::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void check_row(std::span<float> row, bool fused) {
  const size_t n = row.size();
  const std::vector<double> scores(row.begin(), row.end());
  const std::vector<Expected> weights = expect_weights(scores, 0.0);
  double sum = 0, sum_error = 0;
  for (const Expected& w : weights) {
    sum += w.value;
    sum_error += w.bound;
  }
  const size_t roundings = n / 64 + 12;
  const double relative = sum_error / sum + static_cast<double>(roundings) * kUnit;
  const double max = *std::max_element(scores.begin(), scores.end());
  const double total = max + std::log(sum);
  const double total_bound = 4 * kUnit * (std::fabs(max) + std::fabs(std::log(sum)) + 1) + 2 * relative;
  std::vector<Expected> shares(n), logs(n);
  for (size_t i = 0; i < n; ++i) {
    shares[i] = {weights[i].value / sum, 2 * (weights[i].bound + weights[i].value * relative) / sum + 1e-37};
    logs[i] = {scores[i] - total, total_bound + 2 * kUnit * std::fabs(scores[i] - total)};
  }
  Guarded<float> body(n), reference(n);
  softmax(row.data(), n, body.data());
  reference::softmax(row.data(), n, reference.data());
  REQUIRE(body.intact());
  judge(body.span(), reference.span(), shares, fused);
  log_softmax(row.data(), n, body.data());
  reference::log_softmax(row.data(), n, reference.data());
  REQUIRE(body.intact());
  judge(body.span(), reference.span(), logs, fused);
  const float body_total = log_sum_exp(row.data(), n), reference_total = reference::log_sum_exp(row.data(), n);
  REQUIRE(std::fabs(static_cast<double>(body_total) - total) <= total_bound);
  if (fused) REQUIRE(body_total == reference_total);
  REQUIRE(argmax(row.data(), n) == reference::argmax(row.data(), n));
  softmax(row.data(), n, row.data());
  softmax(reference.data(), 0, reference.data());
}

void check_unusual_rows() {
  for (size_t n : kLengths) {
    std::vector<float> masked(n, -kInfinity), output(n, 5.0f);
    softmax(masked.data(), n, output.data());
    for (float y : output) REQUIRE(y == 0.0f);
    REQUIRE(log_sum_exp(masked.data(), n) == -kInfinity);
    log_softmax(masked.data(), n, output.data());
    REQUIRE(all_finite(output));
    std::vector<float> low(n, -1e30f);
    softmax(low.data(), n, output.data());
    for (float y : output) REQUIRE(std::fabs(static_cast<double>(y) - 1.0 / static_cast<double>(n)) <= 8 * kUnit);
    if (n == 0) continue;
    low[n / 2] = 1e30f;
    softmax(low.data(), n, output.data());
    for (size_t i = 0; i < n; ++i) REQUIRE(output[i] == (i == n / 2 ? 1.0f : 0.0f));
  }
}

void check_argmax() {
  const float nan = std::nanf("");
  REQUIRE(argmax(nullptr, 0) == 0);
  std::vector<float> row(600, nan);
  REQUIRE(argmax(row.data(), row.size()) == row.size());
  row[300] = -kInfinity;
  REQUIRE(argmax(row.data(), row.size()) == 300);
  row[599] = 2.0f;
  row[310] = 2.0f;
  REQUIRE(argmax(row.data(), row.size()) == 310);
  row[5] = 2.0f;
  REQUIRE(argmax(row.data(), row.size()) == 5);
}

}  // namespace

void check_softmax(bool fused) {
  for (size_t n : kLengths) {
    for (float scale : {1.0f, 10.0f, 200.0f}) {
      if (n == 0) continue;
      Guarded<float> row(n);
      Random random(n);
      fill(row.span(), random, scale);
      check_row(row.span(), fused);
    }
  }
  check_unusual_rows();
  check_argmax();
}

}  // namespace dragoman::kernels::test
