// layer_norm and rms_norm against double precision and the reference, with residual, strides and int8 output.
#include "kernel_check.h"
#include "kernels/normalize.h"

namespace dragoman::kernels::test {
namespace {

using Kernel = void (*)(const NormalizeOptions&);

// First-order propagation of the rounding of mean and variance; doubled for what it leaves out.
std::vector<Expected> expect_row(const NormalizeOptions& o, const float* input, const float* residual, bool centered) {
  const double n = static_cast<double>(o.width);
  const double chain = (n / 64 + 8) * kUnit;
  std::vector<double> x(o.width);
  double mean = 0, magnitude = 0, variance = 0, spread = 0;
  for (size_t i = 0; i < o.width; ++i) {
    x[i] = static_cast<double>(input[i]) + (residual != nullptr ? static_cast<double>(residual[i]) : 0.0);
    mean += x[i] / n;
    magnitude += std::fabs(x[i]) / n;
  }
  if (!centered) mean = 0;
  const double mean_error = centered ? (chain + kUnit) * magnitude : 0;
  const auto shift_error = [&](size_t i) {
    return 2 * kUnit * (std::fabs(x[i]) + std::fabs(x[i] - mean)) + mean_error;
  };
  for (size_t i = 0; i < o.width; ++i) {
    const double d = x[i] - mean;
    variance += d * d / n;
    spread += (2 * std::fabs(d) + shift_error(i)) * shift_error(i) / n;
  }
  const double inverse = 1 / std::sqrt(variance + static_cast<double>(o.epsilon));
  const double relative = 0.5 * (spread + chain * variance) * inverse * inverse + 4 * kUnit;
  std::vector<Expected> expected(o.width);
  for (size_t i = 0; i < o.width; ++i) {
    const double scale = o.scale[i], bias = centered && o.bias != nullptr ? static_cast<double>(o.bias[i]) : 0.0;
    const double product = (x[i] - mean) * inverse * scale;
    const double error = std::fabs(scale) * inverse * shift_error(i) + std::fabs(product) * (relative + 4 * kUnit);
    expected[i] = {product + bias, 2 * (error + 2 * kUnit * std::fabs(bias)) + 1e-37};
  }
  return expected;
}

struct Problem {
  Kernel body;
  Kernel reference;
  bool centered;
};

void check_width(const Problem& p, size_t width, float scale, bool fused) {
  Random random(width + 7);
  const size_t stride = width + 3;
  Guarded<float> input(3 * stride), residual(3 * stride), gains(width), biases(width);
  fill(input.span(), random, scale);
  fill(residual.span(), random, scale);
  fill(gains.span(), random, 2.0f);
  fill(biases.span(), random, 1.0f);
  for (int variant = 0; variant < 4; ++variant) {
    Guarded<float> body(3 * stride), reference(3 * stride);
    Guarded<int8_t> body_bytes(3 * stride), reference_bytes(3 * stride);
    RowQuantization body_rows[3], reference_rows[3];
    NormalizeOptions o = {.rows = 3,
                          .width = width,
                          .input = input.data(),
                          .scale = gains.data(),
                          .input_stride = stride,
                          .residual_stride = stride,
                          .output_stride = stride,
                          .quantized_stride = stride};
    o.residual = (variant & 1) != 0 ? residual.data() : nullptr;
    o.bias = (variant & 2) != 0 ? biases.data() : nullptr;
    o.output = reference.data();
    o.quantized = reference_bytes.data();
    o.quantization = reference_rows;
    p.reference(o);
    o.output = body.data();
    o.quantized = body_bytes.data();
    o.quantization = body_rows;
    p.body(o);
    REQUIRE(body.intact());
    REQUIRE(body_bytes.intact());
    for (size_t r = 0; r < 3; ++r) {
      const auto expected =
          expect_row(o, input.data() + r * stride, o.residual ? o.residual + r * stride : nullptr, p.centered);
      judge(body.span().subspan(r * stride, width), reference.span().subspan(r * stride, width), expected, fused);
      // The int8 rows are those of quantize_rows on the float rows.
      std::vector<int8_t> bytes(width);
      RowQuantization row;
      quantize_rows(body.data() + r * stride, {.rows = 1, .width = width}, bytes.data(), &row);
      REQUIRE(std::memcmp(bytes.data(), body_bytes.data() + r * stride, width) == 0);
      REQUIRE(row.zero_point == body_rows[r].zero_point);
      REQUIRE(row.scale == body_rows[r].scale);
    }
    // Only int8 rows wanted; and in place.
    std::vector<int8_t> bytes(3 * stride);
    Guarded<float> scratch(width);
    o.output = nullptr;
    o.scratch = scratch.data();
    o.quantized = bytes.data();
    p.body(o);
    REQUIRE(scratch.intact());
    for (size_t r = 0; r < 3; ++r) {
      REQUIRE(std::memcmp(bytes.data() + r * stride, body_bytes.data() + r * stride, width) == 0);
    }
    Guarded<float> in_place(3 * stride);
    std::memcpy(in_place.data(), input.data(), 3 * stride * sizeof(float));
    o.input = o.output = in_place.data();
    o.quantized = nullptr;
    p.body(o);
    for (size_t r = 0; r < 3; ++r) {
      REQUIRE(first_difference(in_place.span().subspan(r * stride, width), body.span().subspan(r * stride, width)) ==
              -1);
    }
  }
}

// NaN in one row must not reach another; huge values must not give NaN.
void check_extremes(const Problem& p, bool fused) {
  std::vector<float> input(3 * 33, 0.5f), gains(33, 1.0f), body(3 * 33), reference(3 * 33);
  input[4] = std::nanf("");
  for (size_t i = 0; i < 33; ++i) input[33 + i] = (i % 2 != 0 ? 1e30f : -1e30f);
  for (size_t i = 0; i < 33; ++i) input[66 + i] = 1e-40f * static_cast<float>(i);
  NormalizeOptions o = {.rows = 3, .width = 33, .input = input.data(), .scale = gains.data()};
  o.output = body.data();
  p.body(o);
  o.output = reference.data();
  p.reference(o);
  REQUIRE(std::isnan(body[0]));
  REQUIRE(all_finite(std::span<const float>(body).subspan(33)));
  if (fused) REQUIRE(first_difference(body, reference) == -1);
}

}  // namespace

void check_normalize(bool fused) {
  const Problem problems[] = {{layer_norm, reference::layer_norm, true}, {rms_norm, reference::rms_norm, false}};
  for (const Problem& problem : problems) {
    for (size_t width : kLengths) {
      if (width == 0) continue;
      for (float scale : {1e-3f, 1.0f, 1e12f}) check_width(problem, width, scale, fused);
    }
    check_extremes(problem, fused);
  }
}

}  // namespace dragoman::kernels::test
