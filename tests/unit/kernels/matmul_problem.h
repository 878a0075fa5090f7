// Operands for the tests of matrix products: one problem with rows of every kind, one product over weights of its own.
// Neighbours: test_matmul.cc (what a product computes), test_matmul_sessions.cc (what it allocates, shares, refuses).
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernels/matmul.h"
#include "kernels/matmul_reference.h"

namespace dragoman::kernels {

constexpr size_t kMostRows = 37;
constexpr int8_t kLeastWeight = -127;  // what MatmulSpec allows

// The same numbers on every machine and compiler.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2654435761U + 1) {}
  uint32_t bits() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<uint32_t>(state_ >> 32);
  }
  int8_t byte() { return static_cast<int8_t>(bits() >> 24); }
  // In [low, high); every step exact or correctly rounded, so equal everywhere.
  float between(float low, float high) { return low + (high - low) * (static_cast<float>(bits() >> 8) * 0x1p-24F); }

 private:
  uint64_t state_;
};

inline ThreadPool make_pool(size_t threads) {
  auto pool = ThreadPool::create(threads);
  REQUIRE(pool.ok());
  return std::move(pool.value());
}

// Operands of one product, rows of both kinds, with the padding that the kernels ask for and no more.
struct Problem {
  Problem(size_t inputs, size_t outputs, size_t input_stride = 0) : inputs(inputs), outputs(outputs) {
    stride = input_stride == 0 ? inputs : input_stride;
    Numbers numbers(inputs * 7919 + outputs);
    for (size_t i = 0; i < inputs * outputs; ++i) weights.push_back(std::max(numbers.byte(), kLeastWeight));
    for (size_t o = 0; o < outputs; ++o) scales.push_back(numbers.between(0.001F, 0.02F));
    for (size_t o = 0; o < outputs; ++o) bias.push_back(numbers.between(-1.0F, 1.0F));
    for (size_t i = 0; i < inputs * outputs; ++i) float_weights.push_back(numbers.between(-1.0F, 1.0F));
    int8_rows.resize(stride * (kMostRows - 1) + inputs + kMatmulExtraInputBytes, 77);
    float_rows.resize(stride * (kMostRows - 1) + inputs + kMatmulExtraInputBytes / sizeof(float), NAN);
    for (size_t r = 0; r < kMostRows; ++r) {
      for (size_t i = 0; i < inputs; ++i) int8_rows[r * stride + i] = numbers.byte();
      for (size_t i = 0; i < inputs; ++i) float_rows[r * stride + i] = numbers.between(-2.0F, 2.0F);
      quantization.push_back({numbers.byte(), numbers.between(0.001F, 0.05F)});
    }
    quantization.resize(kMostRows + kMatmulExtraRowParameters, {0, NAN});
  }

  MatmulSpec int8_spec() const {
    MatmulSpec spec;
    spec.weights = weights.data();
    spec.scales = scales.data();
    spec.bias = bias.data();
    spec.inputs = inputs;
    spec.outputs = outputs;
    spec.input_stride = stride;
    return spec;
  }
  MatmulSpec float_spec(ElementType weight_type) const {
    MatmulSpec spec = int8_spec();
    spec.input = MatmulInput::kFloatRows;
    spec.weight_type = weight_type;
    if (weight_type == ElementType::kF32) {
      spec.weights = float_weights.data();
      spec.scales = nullptr;
    }
    return spec;
  }
  // The three kinds of product there are.
  std::vector<MatmulSpec> specs() const {
    return {int8_spec(), float_spec(ElementType::kI8), float_spec(ElementType::kF32)};
  }
  MatmulRows rows(const MatmulSpec& spec, size_t first, size_t count) const {
    if (spec.input == MatmulInput::kFloatRows) return MatmulRows(float_rows.data() + first * stride, count);
    return MatmulRows(int8_rows.data() + first * stride, quantization.data() + first, count);
  }

  size_t inputs, outputs, stride;
  std::vector<int8_t> weights, int8_rows;
  std::vector<float> scales, bias, float_weights, float_rows;
  mutable std::vector<RowQuantization> quantization;  // run() borrows the entries behind its rows
};

// A product over weights of its own.
struct Product {
  explicit Product(const MatmulSpec& spec) : spec(spec) {
    const Status status = Matmul::create(spec, weights, account, &matmul);
    INFO(status.message());
    REQUIRE(status.ok());
  }
  std::vector<float> run(const MatmulRows& rows, const ThreadPool& pool) {
    std::vector<float> out(rows.count * spec.outputs, NAN);
    REQUIRE(matmul.run(rows, out.data(), pool));
    return out;
  }

  MatmulSpec spec;
  PackedWeights weights;
  HeapAccount account;
  Matmul matmul;
};

inline bool same_bits(const float* a, const float* b, size_t count) {
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

// Whether an int8 product found what the reference expects: to the bit, except on 32-bit ARM, where XNNPACK's kernels
// round the product and the sum with the bias one after the other. Rows lie `spec.output_step()` apart.
inline bool same_as_reference([[maybe_unused]] const MatmulSpec& spec, const std::vector<float>& found,
                              const std::vector<float>& expected) {
#if defined(__arm__)
  for (size_t i = 0; i < found.size(); ++i) {
    const size_t output = i % spec.output_step();
    const float bias = spec.bias == nullptr || output >= spec.outputs ? 0.0F : spec.bias[output];
    // The product is at most |expected| + |bias|; a few roundings of either.
    const float bound = 4 * 0x1p-24F * (std::fabs(expected[i]) + 2 * std::fabs(bias));
    if (!(std::fabs(found[i] - expected[i]) <= bound)) return false;
  }
  return true;
#else
  return same_bits(found.data(), expected.data(), found.size());
#endif
}

inline std::string shape_text(const MatmulSpec& spec, size_t rows) {
  return std::to_string(rows) + " rows of " + std::to_string(spec.inputs) + " x " + std::to_string(spec.outputs);
}

inline std::vector<float> reference(const Problem& problem, const MatmulSpec& spec, size_t rows) {
  std::vector<float> out(rows * spec.outputs, NAN);
  matmul_reference(spec, problem.rows(spec, 0, rows), out.data());
  return out;
}

}  // namespace dragoman::kernels
