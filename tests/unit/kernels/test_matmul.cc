// What matrix products compute: against the reference, against themselves (rows, threads), at their edges.
// Neighbours: runtime/kernels/matmul.h is under test; matmul_problem.h makes the operands.
#include "kernels/matmul.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "matmul_problem.h"

namespace dragoman::kernels {
namespace {

constexpr size_t kInputSizes[] = {1, 7, 8, 16, 100, 256, 512, 1536};
constexpr size_t kOutputSizes[] = {1, 7, 77, 256, 1536};

// Memory whose end is followed by a page that faults.
class GuardedRoom {
 public:
  GuardedRoom() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))), bytes_(16 * page_) {
    void* room = mmap(nullptr, bytes_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(room != MAP_FAILED);
    start_ = static_cast<char*>(room);
    REQUIRE(mprotect(start_ + bytes_, page_, PROT_NONE) == 0);
  }
  ~GuardedRoom() { munmap(start_, bytes_ + page_); }
  GuardedRoom(const GuardedRoom&) = delete;
  GuardedRoom& operator=(const GuardedRoom&) = delete;
  char* end() { return start_ + bytes_; }

 private:
  size_t page_, bytes_;
  char* start_ = nullptr;
};

}  // namespace

TEST_CASE("matmul: int8 rows equal the reference bit for bit, any number of rows") {
  const ThreadPool pool = make_pool(1);
  for (const size_t inputs : kInputSizes) {
    for (const size_t outputs : kOutputSizes) {
      const Problem problem(inputs, outputs);
      Product product(problem.int8_spec());
      const std::vector<float> expected = reference(problem, product.spec, kMostRows);
      for (size_t rows = 1; rows <= kMostRows; rows += rows < 19 ? 1 : kMostRows - 19) {
        INFO(shape_text(product.spec, rows));
        const std::vector<float> found = product.run(problem.rows(product.spec, 0, rows), pool);
        REQUIRE(same_as_reference(product.spec, found, expected));
      }
    }
  }
}

TEST_CASE("matmul: extreme int8 values do not saturate") {
  const ThreadPool pool = make_pool(1);
  Problem problem(1536, 77);
  for (const int8_t weight : {kLeastWeight, int8_t{127}}) {
    for (const int8_t value : {-128, 127}) {
      for (const int32_t zero_point : {-128, 0, 127}) {
        problem.weights.assign(problem.weights.size(), weight);
        problem.int8_rows.assign(problem.int8_rows.size(), value);
        problem.quantization.assign(problem.quantization.size(), {zero_point, 0.5F});
        Product product(problem.int8_spec());
        const std::vector<float> expected = reference(problem, product.spec, 11);
        const std::vector<float> found = product.run(problem.rows(product.spec, 0, 11), pool);
        INFO(int{weight} << " * (" << int{value} << " - " << zero_point << ")");
        REQUIRE(same_as_reference(product.spec, found, expected));
      }
    }
  }
}

TEST_CASE("matmul: an int8 row that was not finite gives NaN under any bounds, its neighbours what they gave") {
  const ThreadPool pool = make_pool(1);
  constexpr size_t kRows = 11, kSpoiled = 4, kOutputs = 77;
  Problem problem(64, kOutputs);
  for (const float least : {-INFINITY, 0.0F}) {  // as it is, and as with a fused relu
    MatmulSpec spec = problem.int8_spec();
    spec.output_min = least;
    Product product(spec);
    problem.quantization[kSpoiled].scale = 0.5F;
    const std::vector<float> intact = product.run(problem.rows(product.spec, 0, kRows), pool);
    problem.quantization[kSpoiled].scale = kSpoiledScale;
    const std::vector<float> found = product.run(problem.rows(product.spec, 0, kRows), pool);
    const std::vector<float> expected = reference(problem, product.spec, kRows);
    for (size_t i = 0; i < kRows * kOutputs; ++i) {
      INFO("row " << i / kOutputs << ", bound " << least);
      REQUIRE(std::isnan(found[i]) == (i / kOutputs == kSpoiled));
      REQUIRE(std::isnan(expected[i]) == std::isnan(found[i]));
      if (i / kOutputs != kSpoiled) REQUIRE(found[i] == intact[i]);
    }
  }
}

TEST_CASE("matmul: float rows lie within the rounding of another order of summation") {
  const ThreadPool pool = make_pool(1);
  for (const ElementType type : {ElementType::kI8, ElementType::kF32}) {
    for (const size_t inputs : kInputSizes) {
      const Problem problem(inputs, 77);
      Product product(problem.float_spec(type));
      const std::vector<float> expected = reference(problem, product.spec, 19);
      const std::vector<float> found = product.run(problem.rows(product.spec, 0, 19), pool);
      for (size_t i = 0; i < found.size(); ++i) {
        const size_t o = i % 77;
        double magnitude = std::fabs(problem.bias[o]);
        for (size_t k = 0; k < inputs; ++k) {
          const double weight = type == ElementType::kF32 ? double{problem.float_weights[o * inputs + k]}
                                                          : double{problem.scales[o]} * problem.weights[o * inputs + k];
          magnitude += std::fabs(weight * problem.float_rows[i / 77 * inputs + k]);
        }
        // Twice (each side) one rounding per term, one for the bias and one for the scale.
        const double bound = 2 * static_cast<double>(inputs + 2) * 0x1p-24 * magnitude;
        INFO(shape_text(product.spec, 19) << ", element " << i);
        if (!(std::fabs(double{found[i]} - expected[i]) <= bound)) REQUIRE(found[i] == expected[i]);
      }
    }
  }
}

TEST_CASE("matmul: a row alone, in any group and with any number of threads has the same bits") {
  const ThreadPool pools[] = {make_pool(1), make_pool(2), make_pool(4)};
  const Problem problem(256, 1536);
  for (const MatmulSpec& spec : problem.specs()) {
    Product product(spec);
    const std::vector<float> all = product.run(problem.rows(spec, 0, kMostRows), pools[0]);
    for (const ThreadPool& pool : pools) {
      for (const size_t group : {size_t{1}, size_t{2}, size_t{5}, size_t{16}, kMostRows}) {
        for (size_t first = 0; first + group <= kMostRows; first += group) {
          // Behind these rows lie those of other rows, and they must not matter.
          INFO(pool.num_threads() << " threads, rows " << first << " and " << group << " on");
          const std::vector<float> found = product.run(problem.rows(spec, first, group), pool);
          REQUIRE(same_bits(found.data(), &all[first * spec.outputs], found.size()));
        }
      }
    }
  }
}

TEST_CASE("matmul: relu, no bias, strides, no rows") {
  const ThreadPool pool = make_pool(1);
  const Problem problem(100, 77, 128);
  for (MatmulSpec spec : {problem.int8_spec(), problem.float_spec(ElementType::kF32)}) {
    spec.bias = nullptr;
    spec.output_min = 0.0F;
    spec.output_stride = 80;
    Product product(spec);
    std::vector<float> expected(11 * 80, 5.0F);
    std::vector<float> found = expected;
    matmul_reference(spec, problem.rows(spec, 0, 11), expected.data());
    REQUIRE(product.matmul.run(problem.rows(spec, 0, 11), found.data(), pool));
    size_t zeros = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      zeros += found[i] == 0.0F ? 1U : 0U;
      if (i % 80 >= 77) REQUIRE(found[i] == 5.0F);
      if (!(std::fabs(found[i] - expected[i]) <= 1e-3F)) REQUIRE(found[i] == expected[i]);
    }
    CHECK(zeros > 200);
    if (spec.input == MatmulInput::kQuantizedRows) CHECK(same_as_reference(spec, found, expected));
    const std::vector<float> before = found;
    REQUIRE(product.matmul.run(problem.rows(spec, 0, 0), found.data(), pool));
    CHECK(same_bits(found.data(), before.data(), found.size()));
  }
}

TEST_CASE("matmul: few rows left over are run one by one, many as one more group") {
  constexpr RowGrouping kTens = {10, 4};
  CHECK(grouped_rows(0, kTens) == 0);
  CHECK(grouped_rows(4, kTens) == 0);
  CHECK(grouped_rows(5, kTens) == 5);
  CHECK(grouped_rows(10, kTens) == 10);
  CHECK(grouped_rows(24, kTens) == 20);
  CHECK(grouped_rows(25, kTens) == 25);
  const RowGrouping here = row_grouping_of_this_processor();
  CHECK(here.group > here.most_single);
}

TEST_CASE("matmul: reads no further than the padding it announces, and leaves it as it was") {
  const ThreadPool pool = make_pool(1);
  GuardedRoom values;
  GuardedRoom parameters;
  auto* last = reinterpret_cast<RowQuantization*>(parameters.end()) - 1;
  for (const size_t inputs : {1, 7, 33, 100, 256}) {
    const Problem problem(inputs, 77);
    for (const MatmulSpec& spec : problem.specs()) {
      Product product(spec);
      const bool int8_rows = spec.input == MatmulInput::kQuantizedRows;
      for (size_t rows = 1; rows <= 19; ++rows) {
        INFO(shape_text(spec, rows));
        const std::vector<float> expected = product.run(problem.rows(spec, 0, rows), pool);
        const size_t bytes = rows * inputs * (int8_rows ? sizeof(int8_t) : sizeof(float));
        void* input = values.end() - kMatmulExtraInputBytes - bytes;
        std::memcpy(input, problem.rows(spec, 0, rows).values, bytes);
        RowQuantization* quantization = last + 1 - kMatmulExtraRowParameters - rows;
        std::memcpy(quantization, problem.quantization.data(), rows * sizeof(RowQuantization));
        *last = {4711, 0.25F};
        const std::vector<float> found =
            product.run(int8_rows ? MatmulRows(static_cast<const int8_t*>(input), quantization, rows)
                                  : MatmulRows(static_cast<const float*>(input), rows),
                        pool);
        REQUIRE(same_bits(found.data(), expected.data(), found.size()));
        REQUIRE(last->zero_point == 4711);
      }
    }
  }
}

TEST_CASE("matmul: int8 rows give the recorded bits on every machine with fused multiply-add") {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) SKIP("this processor has no fused multiply-add; its bits differ");
#elif !defined(__aarch64__)
  SKIP("the bits were recorded for x86-64 with fused multiply-add and aarch64");
#endif
  const ThreadPool pool = make_pool(1);
  uint64_t checksum = 14695981039346656037U;  // FNV-1a, 64 bits
  for (const size_t inputs : {100, 256, 512, 1536}) {
    for (const size_t outputs : {77, 256, 1536}) {
      const Problem problem(inputs, outputs);
      Product product(problem.int8_spec());
      for (const float value : product.run(problem.rows(product.spec, 0, kMostRows), pool)) {
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        for (int shift = 0; shift < 32; shift += 8) checksum = (checksum ^ ((bits >> shift) & 255U)) * 1099511628211U;
      }
    }
  }
  CHECK(checksum == 0x433c46ac3d0a1244U);
}

}  // namespace dragoman::kernels
