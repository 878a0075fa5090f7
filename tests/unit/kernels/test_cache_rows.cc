// Storing cache rows: every target gives the reference's bytes; halves are the nearest, int8 within half a step.
#include <algorithm>
#include <limits>

#include "kernel_check.h"
#include "kernels/cache_rows.h"
#include "kernels/half.h"

namespace dragoman::kernels::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void check_row(CacheType type, std::span<const float> keys_values) {
  const size_t width = keys_values.size() / 2, row_bytes = cache_row_bytes(type, width);
  REQUIRE(row_bytes % 16 == 0);
  REQUIRE((row_bytes == 0 || row_bytes % 4096 != 0));
  // Two rows, so that writing behind the first one shows; on the boundary that caches have.
  std::vector<uint64_t> body(row_bytes / 4 + 2, 0x5A5A5A5A5A5A5A5Au), reference = body;
  store_cache_row(type, keys_values.data(), width, reinterpret_cast<std::byte*>(body.data()));
  reference::store_cache_row(type, keys_values.data(), width, reinterpret_cast<std::byte*>(reference.data()));
  REQUIRE(body == reference);
  REQUIRE(body[row_bytes / 8] == 0x5A5A5A5A5A5A5A5Au);
  if (type != CacheType::kI8) return;
  const auto* bytes = reinterpret_cast<const int8_t*>(body.data());
  const auto* scales = reinterpret_cast<const float*>(bytes + cache_scales_offset(width));
  for (size_t part = 0; part < 2; ++part) {
    const std::span<const float> row = keys_values.subspan(part * width, width);
    const bool finite = std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); });
    REQUIRE(std::isnan(scales[part]) == !finite);
  }
  for (size_t i = 0; i < 2 * width; ++i) {
    const double scale = scales[i / width];
    if (!std::isfinite(keys_values[i]) || !(scale <= 1e35)) continue;
    REQUIRE(std::fabs(bytes[i] * scale - static_cast<double>(keys_values[i])) <= scale * 0.5001 + 1e-30);
  }
}

void check_width(size_t width) {
  Random random(width + 3);
  for (float scale : {1.0f, 1e-3f, 1e-6f, 300.0f, 1e5f, 1e-37f, 3e38f}) {
    Guarded<float> row(2 * width);
    fill(row.span(), random, scale);
    for (size_t type = 0; type < kNumCacheTypes; ++type) check_row(static_cast<CacheType>(type), row.span());
    if (width < 3) continue;
    row[0] = kInfinity, row[1] = std::nanf(""), row[2] = -0.0f, row[width] = -kInfinity;
    for (size_t type = 1; type < kNumCacheTypes; ++type) check_row(static_cast<CacheType>(type), row.span());
  }
}

// Every boundary between neighbouring halves, and one float to each side of it.
void check_half_rounding() {
  std::vector<float> points;
  for (uint32_t h = 0; h < 0x7BFF; ++h) {
    const float low = float_from_half(static_cast<uint16_t>(h)), high = float_from_half(static_cast<uint16_t>(h + 1));
    const float middle = (low + high) / 2;
    for (float x : {low, std::nextafterf(middle, low), middle, std::nextafterf(middle, high)}) {
      points.push_back(x);
      points.push_back(-x);
    }
  }
  const size_t width = points.size() / 2;
  std::vector<uint64_t> row(cache_row_bytes(CacheType::kF16, width) / 8 + 1);
  store_cache_row(CacheType::kF16, points.data(), width, reinterpret_cast<std::byte*>(row.data()));
  const auto* halves = reinterpret_cast<const uint16_t*>(row.data());
  size_t wrong = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const uint32_t h = static_cast<uint32_t>(i / 8), which = i % 8 / 2;
    const uint32_t nearest = which < 2 ? h : which == 2 ? h + (h & 1) : h + 1;
    wrong += halves[i] != (nearest | (i % 2 != 0 ? 0x8000u : 0u)) ? 1 : 0;
  }
  REQUIRE(wrong == 0);
}

}  // namespace

void check_cache_rows(bool) {
  for (size_t width : kLengths) check_width(width);
  check_half_rounding();
}

TEST_CASE("halves saturate and keep NaN and infinities", "[kernels]") {
  CHECK(half_from_float(65519.0f) == 0x7BFF);
  CHECK(half_from_float(3e38f) == 0x7BFF);
  CHECK(half_from_float(-65520.0f) == 0xFBFF);
  CHECK(half_from_float(kInfinity) == kHalfInfinity);
  CHECK(half_from_float(-kInfinity) == 0xFC00);
  CHECK(half_from_float(std::nanf("")) == kHalfNan);
  CHECK(float_from_half(0x7C00) == kInfinity);
  CHECK(std::isnan(float_from_half(kHalfNan)));
  CHECK(float_from_half(0x8001) == -0x1p-24f);
  for (uint32_t h = 0; h < 0x7C00; ++h) {
    REQUIRE(half_from_float(float_from_half(static_cast<uint16_t>(h))) == h);
  }
}

}  // namespace dragoman::kernels::test
