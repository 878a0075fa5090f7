// Matrix products over f16 and int4 weights: against the floats they stand for, and against themselves.
// Neighbours: test_matmul.cc has int8 and f32 weights.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "kernels/half.h"
#include "kernels/matmul.h"
#include "matmul_problem.h"

namespace dragoman::kernels {
namespace {

// A problem with its weights as halves, as int4 and as the floats that these stand for.
struct Weights {
  Weights(size_t inputs, size_t outputs) : problem(inputs, outputs) {
    for (const float w : problem.float_weights) halves.push_back(half_from_float(w));
    for (const uint16_t h : halves) half_floats.push_back(float_from_half(h));
    Numbers numbers(inputs + outputs);
    for (size_t i = 0; i < inputs * outputs / 2; ++i) int4.push_back(static_cast<uint8_t>(numbers.bits()));
    for (size_t i = 0; i < inputs / kInt4Block * outputs; ++i) {
      scales.push_back(static_cast<uint16_t>(0x3C00 + numbers.bits() % 0x100));  // 2^-7 to 2^-5
    }
    const Int4Table table = {int4.data(), scales.data()};
    for (size_t o = 0; o < outputs && inputs % kInt4Block == 0; ++o) {
      for (size_t i = 0; i < inputs; ++i) int4_floats.push_back(table.row(o, inputs).value(i));
    }
  }
  MatmulSpec half_spec() const {
    MatmulSpec spec = problem.float_spec(ElementType::kF32);
    spec.weight_type = ElementType::kF16;
    spec.weights = halves.data();
    return spec;
  }
  MatmulSpec int4_spec(MatmulInput input) const {
    MatmulSpec spec = problem.float_spec(ElementType::kF32);
    spec.input = input;
    spec.weight_type = ElementType::kI4;
    spec.weights = int4.data();
    spec.block_scales = scales.data();
    return spec;
  }
  MatmulSpec float_spec(const std::vector<float>& weights) const {
    MatmulSpec spec = problem.float_spec(ElementType::kF32);
    spec.weights = weights.data();
    return spec;
  }

  Problem problem;
  std::vector<uint16_t> halves, scales;
  std::vector<uint8_t> int4;
  std::vector<float> half_floats, int4_floats;
};

void require_same(const Weights& w, const MatmulSpec& a, const MatmulSpec& b) {
  const ThreadPool pool = make_pool(1);
  Product first(a), second(b);
  const std::vector<float> x = first.run(w.problem.rows(a, 0, 9), pool), y = second.run(w.problem.rows(b, 0, 9), pool);
  REQUIRE(same_bits(x.data(), y.data(), x.size()));
}

}  // namespace

TEST_CASE("matmul: float rows take f16 and int4 weights as the floats they stand for") {
  for (const size_t inputs : {7, 32, 96, 512}) {
    const Weights w(inputs, 77);
    require_same(w, w.half_spec(), w.float_spec(w.half_floats));
    if (inputs % kInt4Block != 0) continue;
    require_same(w, w.int4_spec(MatmulInput::kFloatRows), w.float_spec(w.int4_floats));
  }
}

TEST_CASE("matmul: int8 rows times int4 weights lie within the rounding of another order of blocks") {
  const ThreadPool pool = make_pool(1);
  for (const size_t inputs : {32, 64, 96, 512, 1536}) {
    for (const size_t outputs : {1, 7, 77, 256}) {
      const Weights w(inputs, outputs);
      Product product(w.int4_spec(MatmulInput::kQuantizedRows));
      const std::vector<float> found = product.run(w.problem.rows(product.spec, 0, 11), pool);
      for (size_t r = 0; r < 11; ++r) {
        for (size_t o = 0; o < outputs; ++o) {
          double sum = 0, magnitude = 0;
          for (size_t i = 0; i < inputs; ++i) {
            const int8_t q = w.problem.int8_rows[r * inputs + i];
            const double weight = static_cast<double>(w.int4_floats[o * inputs + i]);
            sum += (q - w.problem.quantization[r].zero_point) * weight;
            magnitude += (std::abs(q) + std::abs(w.problem.quantization[r].zero_point)) * std::fabs(weight);
          }
          const double scale = static_cast<double>(w.problem.quantization[r].scale);
          const double bias = static_cast<double>(w.problem.bias[o]);
          const double bound = (static_cast<double>(inputs) / 16 + 8) * 0x1p-24 * (magnitude * scale + std::fabs(bias));
          INFO(shape_text(product.spec, 11) << ", row " << r << ", output " << o);
          REQUIRE(std::fabs(static_cast<double>(found[r * outputs + o]) - (sum * scale + bias)) <= bound);
        }
      }
    }
  }
}

TEST_CASE("matmul: a row over int4 weights has the same bits whatever stands beside it, on any number of threads") {
  const ThreadPool one = make_pool(1), three = make_pool(3);
  for (const size_t inputs : {32, 96, 512}) {
    const Weights w(inputs, 1536);
    Product product(w.int4_spec(MatmulInput::kQuantizedRows));
    const std::vector<float> all = product.run(w.problem.rows(product.spec, 0, kMostRows), one);
    const std::vector<float> threaded = product.run(w.problem.rows(product.spec, 0, kMostRows), three);
    REQUIRE(same_bits(all.data(), threaded.data(), all.size()));
    for (size_t r = 0; r < kMostRows; ++r) {
      for (const size_t count : {1, 2, 3, 5, 8, 16}) {
        if (r + count > kMostRows) continue;
        const std::vector<float> some = product.run(w.problem.rows(product.spec, r, count), one);
        INFO(count << " rows from " << r << " of " << inputs << " inputs");
        REQUIRE(same_bits(some.data(), all.data() + r * 1536, some.size()));
      }
    }
  }
}

TEST_CASE("matmul: int4 weights are refused without fitting scales and widths") {
  const Weights w(96, 7), narrow(40, 7);
  PackedWeights weights;
  const auto code = [&](const MatmulSpec& spec) { return Matmul::prepare(spec, weights).status().code(); };
  MatmulSpec spec = w.int4_spec(MatmulInput::kQuantizedRows);
  spec.block_scales = nullptr;
  CHECK(code(spec) == Code::kInvalidArgument);
  const std::vector<uint16_t> infinite(21, 0x7F80);
  spec.block_scales = infinite.data();
  CHECK(code(spec) == Code::kInvalidArgument);
  spec = narrow.int4_spec(MatmulInput::kQuantizedRows);
  CHECK(code(spec) == Code::kUnsupported);
  spec = w.half_spec();
  spec.input = MatmulInput::kQuantizedRows;
  CHECK(code(spec) == Code::kUnsupported);
}

}  // namespace dragoman::kernels
