// quantize_rows: equal to the reference everywhere, error within half a step, fixed answers for unusual rows.
#include <limits>

#include "kernel_check.h"
#include "kernels/quantize.h"

namespace dragoman::kernels::test {
namespace {

// Runs body and reference on `rows` rows and requires the same bytes; returns the body's result in the arguments.
void compare(const float* input, const QuantizeOptions& options, Guarded<int8_t>& output,
             std::vector<RowQuantization>& quantization) {
  Guarded<int8_t> expected(output.span().size());
  std::vector<RowQuantization> expected_quantization(options.rows);
  quantization.resize(options.rows);
  std::memset(output.data(), 1, output.span().size());
  std::memset(expected.data(), 1, expected.span().size());
  reference::quantize_rows(input, options, expected.data(), expected_quantization.data());
  quantize_rows(input, options, output.data(), quantization.data());
  REQUIRE(std::memcmp(output.data(), expected.data(), output.span().size()) == 0);
  REQUIRE(output.intact());
  for (size_t r = 0; r < options.rows; ++r) {
    REQUIRE(quantization[r].zero_point == expected_quantization[r].zero_point);
    REQUIRE(std::bit_cast<uint32_t>(quantization[r].scale) == std::bit_cast<uint32_t>(expected_quantization[r].scale));
  }
}

void check_row(std::span<float> row) {
  Guarded<int8_t> output(row.size());
  std::vector<RowQuantization> quantization;
  compare(row.data(), {.rows = 1, .width = row.size()}, output, quantization);
  const double scale = quantization[0].scale;
  const double zero_point = quantization[0].zero_point;
  REQUIRE(scale > 0);
  REQUIRE(zero_point >= -128);
  REQUIRE(zero_point <= 127);
  double worst = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    worst = std::max(worst, std::fabs((output[i] - zero_point) * scale - static_cast<double>(row[i])));
  }
  // Half a step for rounding x, and up to one more at the ends where the zero point itself was rounded.
  REQUIRE(worst <= scale * 1.0001);
}

void check_unusual_rows() {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Guarded<int8_t> output(33);
  std::vector<RowQuantization> quantization;
  const QuantizeOptions one = {.rows = 1, .width = 33};
  std::vector<float> row(33, 0.0f);
  compare(row.data(), one, output, quantization);
  REQUIRE(quantization[0].scale == 1.0f);
  for (size_t i = 0; i < 33; ++i) REQUIRE(output[i] == quantization[0].zero_point);

  row[5] = 1e-40f;  // subnormal: as good as zero
  row[20] = -1e-42f;
  compare(row.data(), one, output, quantization);
  for (size_t i = 0; i < 33; ++i) REQUIRE(output[i] == quantization[0].zero_point);

  row.assign(33, 1.0f);
  row[32] = nan;
  row[0] = nan;
  compare(row.data(), one, output, quantization);
  REQUIRE(output[32] == quantization[0].zero_point);
  REQUIRE(output[1] == 127);
  REQUIRE(std::isnan(quantization[0].scale));

  row.assign(33, 1e30f);
  row[1] = infinity;
  row[31] = -infinity;
  compare(row.data(), one, output, quantization);
  REQUIRE(output[1] == 127);
  REQUIRE(output[31] == -128);
  REQUIRE(std::isnan(quantization[0].scale));
  for (size_t i = 0; i < 33; ++i) {  // each lane, and the end that does not fill a vector
    for (float bad : {nan, infinity, -infinity}) {
      row.assign(33, 0.0f);
      row[i] = bad;
      compare(row.data(), one, output, quantization);
      REQUIRE(std::isnan(quantization[0].scale));
    }
  }

  row.assign(33, std::numeric_limits<float>::max());
  row[2] = std::numeric_limits<float>::lowest();
  compare(row.data(), one, output, quantization);
  REQUIRE(output[0] == 127);
  REQUIRE(output[2] == -128);
  REQUIRE(std::isfinite(quantization[0].scale));
}

}  // namespace

void check_quantize(bool) {
  Random random(1);
  for (size_t length : kLengths) {
    for (float scale : {1e-6f, 1.0f, 3e4f, 1e30f}) {
      Guarded<float> row(length);
      fill(row.span(), random, scale);
      check_row(row.span());
      for (float& x : row.span()) x = std::fabs(x);
      check_row(row.span());
    }
  }
  Guarded<float> rows(5 * 40);
  fill(rows.span(), random, 2.0f);
  Guarded<int8_t> output(5 * 48);
  std::vector<RowQuantization> quantization;
  compare(rows.data(), {.rows = 5, .width = 37, .input_stride = 40, .output_stride = 48}, output, quantization);
  check_unusual_rows();
}

}  // namespace dragoman::kernels::test
