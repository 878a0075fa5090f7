// Arena: alignment, exact high-water mark, refusal of what does not fit.
// Neighbours: runtime/base/arena.h.
#include "base/arena.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

using dragoman::Arena;
using dragoman::kBufferAlignment;
using dragoman::kTooLarge;
using dragoman::saturating_product;
using dragoman::saturating_sum;

TEST_CASE("buffers are aligned and do not overlap") {
  alignas(64) static std::byte block[1024];
  Arena arena(block, sizeof(block));
  const auto first = arena.carve<float>(3);
  const auto second = arena.carve<char>(65);
  const auto third = arena.carve<double>(1);
  REQUIRE(first.size() == 3);
  REQUIRE(second.size() == 65);
  for (const void* p : {static_cast<const void*>(first.data()), static_cast<const void*>(second.data()),
                        static_cast<const void*>(third.data())}) {
    CHECK(reinterpret_cast<uintptr_t>(p) % kBufferAlignment == 0);
  }
  CHECK(reinterpret_cast<std::byte*>(second.data()) - block == 64);
  CHECK(reinterpret_cast<std::byte*>(third.data()) - block == 64 + 128);
  CHECK(arena.used() == 64 + 128 + 64);
  CHECK_FALSE(arena.failed());
}

TEST_CASE("a measuring arena counts what a real one uses") {
  Arena measuring = Arena::measuring();
  CHECK(measuring.is_measuring());
  CHECK(measuring.carve<int>(100).empty());
  CHECK(measuring.carve_bytes(1) == nullptr);
  CHECK_FALSE(measuring.failed());
  CHECK(measuring.used() == 448 + 64);
}

TEST_CASE("a block is used to its last byte and one byte less is refused") {
  alignas(64) static std::byte block[256];
  Arena fits(block, 256);
  CHECK(fits.carve_bytes(192) != nullptr);
  CHECK(fits.carve_bytes(64) != nullptr);
  CHECK_FALSE(fits.failed());

  Arena small(block, 255);
  CHECK(small.carve_bytes(192) != nullptr);
  CHECK(small.carve_bytes(64) == nullptr);
  CHECK(small.failed());
  CHECK(small.used() == 256);  // what would have been needed
  CHECK(small.carve_bytes(1) == nullptr);
}

TEST_CASE("hostile counts fail instead of wrapping around") {
  alignas(64) static std::byte block[64];
  Arena arena(block, sizeof(block));
  CHECK(arena.carve<double>(SIZE_MAX / 8 + 2).empty());
  CHECK(arena.failed());
  Arena measuring = Arena::measuring();
  measuring.carve<double>(SIZE_MAX);
  measuring.carve<double>(SIZE_MAX);
  measuring.carve<double>(SIZE_MAX);
  CHECK(measuring.failed());
}

TEST_CASE("sums and products of sizes saturate") {
  CHECK(saturating_product(3, size_t{5}, uint32_t{7}) == 105);
  CHECK(saturating_product(SIZE_MAX, 0) == 0);
  CHECK(saturating_product(kTooLarge, 1) == kTooLarge);
  CHECK(saturating_product(kTooLarge / 2 + 1, 2) == kTooLarge);
  // The product's low bits alone would be 0.
  CHECK(saturating_product(size_t{1} << (sizeof(size_t) * 4), size_t{1} << (sizeof(size_t) * 4)) == kTooLarge);
  CHECK(saturating_sum(1, size_t{2}, uint32_t{3}) == 6);
  CHECK(saturating_sum(kTooLarge - 1, 1) == kTooLarge);
  CHECK(saturating_sum(SIZE_MAX, SIZE_MAX, SIZE_MAX) == kTooLarge);
}

TEST_CASE("what saturated is refused when it is carved") {
  Arena measuring = Arena::measuring();
  measuring.carve_bytes(kTooLarge);
  CHECK(measuring.failed());
  Arena many = Arena::measuring();
  for (int i = 0; i < 3; ++i) many.carve_bytes(kTooLarge / 2);
  CHECK(many.failed());
  alignas(64) static std::byte block[64];
  Arena boundless(block, SIZE_MAX);  // however much a caller claims to have
  CHECK(boundless.carve_bytes(kTooLarge) == nullptr);
  CHECK(boundless.failed());
}

TEST_CASE("nothing carved is nothing used") {
  Arena measuring = Arena::measuring();
  measuring.carve<float>(0);
  CHECK(measuring.used() == 0);
}
