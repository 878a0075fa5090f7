#include "search/length_penalty.h"

#include <bit>
#include <cstdint>

namespace dragoman::search {

namespace {

constexpr double kLn2High = 0x1.62e42fefa39p-1;  // 45 bits, so that a product with a small integer is exact
constexpr double kLn2Low = 0x0.ef35793c7673p-45;

// |x| below 2000.
double exponential(double x) {
  constexpr double kInverseLn2 = 1.4426950408889634;
  if (x > 709) return std::bit_cast<double>(uint64_t{0x7ff} << 52);
  if (x < -708) return 0;
  const auto n = static_cast<int64_t>(x * kInverseLn2 + (x < 0 ? -0.5 : 0.5));
  const double r = (x - static_cast<double>(n) * kLn2High) - static_cast<double>(n) * kLn2Low;
  // Taylor, |r| < 0.35: r^15 / 15! is below the last bit.
  double series = 1;
  for (int k = 15; k >= 1; --k) series = 1 + series * r / k;
  return series * std::bit_cast<double>(static_cast<uint64_t>(1023 + n) << 52);
}

}  // namespace

double natural_log(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1023} << 52);
  if (mantissa > 1.4142135623730951) {
    mantissa /= 2;
    ++exponent;
  }
  // log m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1), |s| < 0.172: s^23 is below the last bit.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;
  for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * square;
  const double e = exponent;
  return e * kLn2High + (2 * (s + s * series) + e * kLn2Low);
}

double power(size_t n, double exponent) {
  if (exponent == 0 || n == 1) return 1;
  if (exponent == 1) return static_cast<double>(n);
  return exponential(exponent * natural_log(static_cast<double>(n)));
}

void LengthPenalty::set(float length_penalty, float word_penalty) {
  word_penalty_ = static_cast<double>(word_penalty);
  if (filled_ && exponent_ == length_penalty) return;
  exponent_ = length_penalty;
  filled_ = true;
  for (size_t n = 0; n < powers_.size(); ++n) powers_[n] = n == 0 ? 1 : power(n, static_cast<double>(exponent_));
}

}  // namespace dragoman::search
