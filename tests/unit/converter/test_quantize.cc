// The quantizers of rows: short floats, int8 with clipping, int4 blocks; and the choice of types by name.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "converter/frontends/source.h"
#include "converter/quantize/clipping.h"
#include "converter/quantize/float_types.h"
#include "converter/quantize/int4_blocks.h"
#include "converter/quantize/int8_rows.h"
#include "converter/quantize/weight_error.h"
#include "converter/quantize/weight_rules.h"

namespace dragoman::converter {
namespace {

std::vector<float> normal_numbers(size_t count, float deviation, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    double sum = -6;  // twelve uniform numbers: the same on every machine
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    number = static_cast<float>(sum) * deviation;
  }
  return numbers;
}

double weighted_error(const std::vector<float>& row, const std::vector<float>& stored,
                      const std::vector<float>& importance) {
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const double error = static_cast<double>(row[i]) - static_cast<double>(stored[i]);
    sum += static_cast<double>(importance[i]) * error * error;
  }
  return sum;
}

std::vector<float> int4_restored(const std::vector<float>& row, const std::vector<float>& importance) {
  std::vector<uint16_t> scales(row.size() / kInt4BlockColumns);
  std::vector<uint8_t> elements(row.size() / 2);
  std::vector<float> stored(row.size());
  int4_block_scales(row, importance, scales);
  quantize_int4_row(row, scales, elements);
  restore_int4_row(elements, scales, stored);
  return stored;
}

std::vector<float> int8_restored(const std::vector<float>& row, float scale) {
  std::vector<int8_t> elements(row.size());
  std::vector<float> stored(row.size());
  quantize_int8_row(row, scale, elements);
  restore_int8_row(elements, scale, stored);
  return stored;
}

TEST_CASE("every half survives widening and narrowing, ties go to the even neighbour", "[float_types]") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    if (!std::isfinite(value)) continue;
    if (half_from_float(value) != half) FAIL("half " << bits);
    const float next = half_to_float(static_cast<uint16_t>(half + 1));
    if (!std::isfinite(next) || half == 0x7fff) continue;
    const auto even = static_cast<uint16_t>(half + (half & 1));
    if (half_from_float((value + next) / 2) != even) FAIL("between " << bits << " and the next");
  }
  CHECK(half_from_float(std::nextafter(kHalfLimit, 0.0f)) == 0x7bff);
  CHECK(half_from_float(1e-9f) == 0);
  CHECK(half_from_float(-1e-9f) == 0x8000);
}

TEST_CASE("bfloat16 rounds to nearest even", "[float_types]") {
  CHECK(float_from_bfloat16(bfloat16_from_float(1e5f)) == 99840.0f);
  CHECK(bfloat16_from_float(std::bit_cast<float>(0x3f808000u)) == 0x3f80);
  CHECK(bfloat16_from_float(std::bit_cast<float>(0x3f818000u)) == 0x3f82);
  CHECK(bfloat16_from_float(std::bit_cast<float>(0xbf808001u)) == 0xbf81);
  CHECK(std::isfinite(float_from_bfloat16(bfloat16_from_float(3e38f))));
}

TEST_CASE("int4 blocks: even columns in the low half, each block with its own scale", "[int4_blocks]") {
  std::vector<float> row(64);
  for (size_t i = 0; i < 32; ++i) row[i] = static_cast<float>(static_cast<int>(i % 16) - 8) * 0.5f;
  for (size_t i = 32; i < 64; ++i) row[i] = row[i - 32] * 1024.0f;
  std::vector<uint16_t> scales(2);
  int4_block_scales(row, {}, scales);
  CHECK(float_from_bfloat16(scales[0]) == 0.5f);
  CHECK(float_from_bfloat16(scales[1]) == 512.0f);
  std::vector<uint8_t> elements(32);
  quantize_int4_row(row, scales, elements);
  CHECK(elements[0] == 0x98);  // -8, then -7
  CHECK(elements[7] == 0x76);  // 6, then 7
  std::vector<float> stored(64);
  restore_int4_row(elements, scales, stored);
  CHECK(stored == row);
}

TEST_CASE("int4 scales are better than the whole range, and follow the importance of columns", "[int4_blocks]") {
  const std::vector<float> row = normal_numbers(1024, 0.05f);
  const std::vector<float> alike(row.size(), 1.0f);
  std::vector<float> whole(row.size());
  for (size_t block = 0; block < row.size(); block += kInt4BlockColumns) {
    float largest = 0;
    for (size_t i = block; i < block + kInt4BlockColumns; ++i) largest = std::max(largest, std::fabs(row[i]));
    const float scale = float_from_bfloat16(bfloat16_from_float(largest / 7));
    for (size_t i = block; i < block + kInt4BlockColumns; ++i) whole[i] = std::nearbyint(row[i] / scale) * scale;
  }
  const double plain = weighted_error(row, int4_restored(row, {}), alike);
  CHECK(plain < 0.92 * weighted_error(row, whole, alike));
  CHECK(plain == weighted_error(row, int4_restored(row, alike), alike));
  std::vector<float> importance(row.size());
  for (size_t i = 0; i < row.size(); ++i) importance[i] = i % 4 == 0 ? 100.0f : 0.01f;
  CHECK(weighted_error(row, int4_restored(row, importance), importance) <
        0.8 * weighted_error(row, int4_restored(row, {}), importance));
}

TEST_CASE("int8 clipping costs no more than the whole range, and much less with outliers that do not count",
          "[int8_rows]") {
  std::vector<float> row = normal_numbers(777, 0.02f);
  std::vector<float> importance(row.size(), 1.0f);
  const auto error = [&](float scale) { return weighted_error(row, int8_restored(row, scale), importance); };
  CHECK(error(int8_clipped_scale(row, importance)) <= error(int8_row_scale(row)));
  row[5] = 0.2f;
  importance[5] = 1e-4f;
  CHECK(error(int8_clipped_scale(row, importance)) < 0.7 * error(int8_row_scale(row)));
}

TEST_CASE("rows of zeros, tiny and huge numbers get usable scales", "[int4_blocks]") {
  for (const float value : {0.0f, 1e-45f, 1e-36f, 1.0f, 3e38f, -3.3e38f}) {
    std::vector<float> row(32, value);
    row[1] = -value / 3;
    const std::vector<float> ones(32, 1.0f);
    std::vector<uint16_t> scales(1);
    int4_block_scales(row, {}, scales);
    INFO(value);
    CHECK(std::isnormal(float_from_bfloat16(scales[0])));
    CHECK(std::isnormal(int8_clipped_scale(row, ones)));
    const std::vector<float> stored = int4_restored(row, {});
    for (size_t i = 0; i < row.size(); ++i) {
      REQUIRE(std::isfinite(stored[i]));
      // What is too small for a normal scale becomes 0.
      CHECK(std::fabs(stored[i] - row[i]) <= std::max(0.1f * std::fabs(value), 1e-44f));
    }
  }
}

TEST_CASE("the least-squares step solves its problem", "[clipping]") {
  const std::vector<float> values = normal_numbers(100, 0.3f, 7), importance(100, 1.0f);
  const Grid grid = {-7, 7};
  const float step = 0.1f, best = least_squares_step(values, importance, step, grid);
  // The q of `step` with another step: a parabola with its lowest point at `best`.
  const auto error = [&](float s) {
    double sum = 0;
    for (const float v : values) {
      const double q = std::nearbyint(std::clamp(v / step, -7.0f, 7.0f));
      sum +=
          (static_cast<double>(v) - q * static_cast<double>(s)) * (static_cast<double>(v) - q * static_cast<double>(s));
    }
    return sum;
  };
  CHECK(error(best) <= error(step));
  CHECK(error(best) < error(best * 1.01f));
  CHECK(error(best) < error(best * 0.99f));
  CHECK(least_squares_step(std::vector<float>(9, 0.0f), std::vector<float>(9, 1.0f), 0.5f, grid) == 0.5f);
}

TEST_CASE("signal to noise of weights and of outputs", "[weight_error]") {
  WeightError error;
  error.add(std::vector<float>{1.0f, 10.0f}, std::vector<float>{1.0f, 9.0f}, std::vector<float>{4.0f, 1.0f});
  CHECK(std::fabs(error.signal_to_noise_db() - 10 * std::log10(101.0)) < 1e-9);
  REQUIRE(error.output_signal_to_noise_db().has_value());
  CHECK(std::fabs(*error.output_signal_to_noise_db() - 10 * std::log10(104.0)) < 1e-9);
  WeightError exact;
  exact.add(std::vector<float>{1.0f}, std::vector<float>{1.0f}, {});
  CHECK(std::isinf(exact.signal_to_noise_db()));
  CHECK_FALSE(exact.output_signal_to_noise_db().has_value());
}

TEST_CASE("patterns of names", "[weight_rules]") {
  CHECK(matches_pattern("*", ""));
  CHECK(matches_pattern("*", "embedding"));
  CHECK(matches_pattern("decoder.*.weight", "decoder.layer1.ffn.linear1.weight"));
  CHECK(matches_pattern("*layer?.*", "encoder.layer1.self.qkv.weight"));
  CHECK(matches_pattern("a*b*c", "aXbYbZc"));
  CHECK_FALSE(matches_pattern("decoder.*.weight", "decoder.layer1.ffn.linear1.bias"));
  CHECK_FALSE(matches_pattern("*layer?.*", "encoder.layer10.self.qkv.weight"));
  CHECK_FALSE(matches_pattern("embedding", "embedding2"));
  CHECK_FALSE(matches_pattern("", "x"));
}

TEST_CASE("the last pattern that fits counts, and one that fits nothing is named", "[weight_rules]") {
  WeightRules rules(WeightType::kInt4, {{"a.*", WeightType::kInt8},
                                        {"*.x", WeightType::kF32},
                                        {"none*", WeightType::kF16},
                                        {"norm*", WeightType::kInt8},
                                        {"no?m", WeightType::kSource}});
  CHECK(rules.type_of("b.y") == WeightType::kInt4);
  CHECK(rules.type_of("a.y") == WeightType::kInt8);
  CHECK(rules.type_of("a.x") == WeightType::kF32);
  const std::vector<std::string> found = rules.complaints({"a.x", "a.y", "b.y", "norm"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].find("'none*' fits no tensor") != std::string::npos);
  CHECK(found[1].find("'norm*' fits tensor 'norm', which is no weight matrix") != std::string::npos);
}

TEST_CASE("choices in words", "[weight_rules]") {
  ConvertOptions options;
  REQUIRE(add_weight_choice("int4", &options).ok());
  REQUIRE(add_weight_choice("dec=*.w=f16", &options).ok());
  CHECK(options.weight_type == WeightType::kInt4);
  REQUIRE(options.weight_rules.size() == 1);
  CHECK(options.weight_rules[0].pattern == "dec=*.w");
  CHECK(options.weight_rules[0].type == WeightType::kF16);
  for (const char* text : {"", "int5", "source", "=int8", "a=", "a=source"}) {
    CHECK(add_weight_choice(text, &options).code() == Code::kInvalidArgument);
  }
  CHECK(options.weight_rules.size() == 1);
}

}  // namespace
}  // namespace dragoman::converter
