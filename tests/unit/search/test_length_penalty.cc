// Powers of lengths: accuracy, and the exact cases.
#include "search/length_penalty.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace dragoman::search {
namespace {

TEST_CASE("powers agree with the library's to the last digits") {
  for (const double exponent : {-3.0, -1.0, -0.5, 0.1, 0.5, 0.6, 0.7, 0.8, 1.2, 1.7, 2.0, 10.0}) {
    for (size_t n = 1; n <= 3000; n += n < 100 ? 1 : 37) {
      const double expected = std::pow(static_cast<double>(n), exponent);
      INFO(n << " ^ " << exponent);
      // exp magnifies the rounding of its argument.
      const double bound = 4e-16 * (1 + std::fabs(exponent) * std::log(static_cast<double>(n)));
      REQUIRE(std::fabs(power(n, exponent) - expected) <= bound * expected);
    }
  }
}

TEST_CASE("logarithms agree with the C library's") {
  for (double x = 1e-30; x < 1e30; x *= 1.37) {
    REQUIRE(std::fabs(natural_log(x) - std::log(x)) <= 1e-14 * std::fabs(std::log(x)) + 1e-16);
  }
  CHECK(natural_log(1) == 0);
}

TEST_CASE("exponents 0 and 1 are exact, and the range is kept") {
  for (size_t n = 1; n < 1000; ++n) {
    REQUIRE(power(n, 0) == 1);
    REQUIRE(power(n, 1) == static_cast<double>(n));
  }
  CHECK(power(1, 77) == 1);
  CHECK(std::isinf(power(100000, 100)));
  CHECK(power(100000, -100) == 0);
}

TEST_CASE("a table is filled anew for another exponent") {
  alignas(kBufferAlignment) std::byte block[4096];
  Arena arena(block, sizeof block);
  LengthPenalty penalty;
  penalty.carve(20, &arena);
  penalty.set(1.0f, 0.0f);
  CHECK(penalty.rank(-6.0f, 3) == -2.0f);
  penalty.set(0.0f, 0.5f);
  CHECK(penalty.rank(-6.0f, 4) == -8.0f);
  penalty.set(2.0f, 0.0f);
  CHECK(std::fabs(penalty.rank(-6.0f, 2) - -1.5f) < 1e-6f);
}

}  // namespace
}  // namespace dragoman::search
