// Activations against the C library in double precision, reference bits; sums and products.
#include <limits>

#include "kernel_check.h"
#include "kernels/activation.h"

namespace dragoman::kernels::test {
namespace {

double exact(Activation activation, double x) {
  const double sigmoid = 1 / (1 + std::exp(-x));
  switch (activation) {
    case Activation::kRelu: return x > 0 ? x : 0;
    case Activation::kSwish: return x * sigmoid;
    case Activation::kGeluSigmoid: return x / (1 + std::exp(-1.702 * x));
    case Activation::kGeluErf: return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Activation::kGeluTanh: return x * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::kSigmoid: return sigmoid;
    case Activation::kTanh: return std::tanh(x);
  }
  return 0;
}

void check_values(Activation activation, std::span<float> input, bool fused) {
  Guarded<float> body(input.size()), reference(input.size());
  std::vector<Expected> expected(input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    const double x = input[i];
    expected[i] = {exact(activation, x), 4e-7 * std::max(1.0, std::fabs(x))};
  }
  activate(activation, input.data(), input.size(), body.data());
  reference::activate(activation, input.data(), input.size(), reference.data());
  REQUIRE(body.intact());
  judge(body.span(), reference.span(), expected, fused);
  activate(activation, input.data(), input.size(), input.data());
  REQUIRE(first_difference(input, body.span()) == -1);
}

void check_activation_kind(Activation activation, bool fused) {
  Random random(11);
  for (size_t length : kLengths) {
    for (float scale : {0.1f, 2.0f, 12.0f, 100.0f, 1e30f}) {
      Guarded<float> input(length);
      fill(input.span(), random, scale);
      check_values(activation, input.span(), fused);
    }
  }
  std::vector<float> ladder;
  for (float x = -20.0f; x <= 20.0f; x += 0x1p-7f) ladder.push_back(x);
  for (float x : {0.0f, -0.0f, 1e-40f, -1e-40f, 1e30f, -1e30f, 87.0f, -87.0f, 88.5f, -88.5f}) ladder.push_back(x);
  check_values(activation, ladder, fused);
  // NaN and infinities leave their neighbours alone.
  std::vector<float> row(37, 0.75f), output(37);
  row[3] = std::nanf("");
  row[8] = std::numeric_limits<float>::infinity();
  row[36] = -row[8];
  activate(activation, row.data(), row.size(), output.data());
  for (size_t i = 0; i < row.size(); ++i) {
    if (i != 3 && i != 8 && i != 36) REQUIRE(output[i] == output[0]);
  }
}

void check_pairs() {
  Random random(12);
  for (size_t length : kLengths) {
    Guarded<float> a(length), b(length), output(length), expected(length);
    fill(a.span(), random, 3.0f);
    fill(b.span(), random, 1e10f);
    add(a.data(), b.data(), length, output.data());
    reference::add(a.data(), b.data(), length, expected.data());
    REQUIRE(first_difference(output.span(), expected.span()) == -1);
    multiply(a.data(), b.data(), length, output.data());
    reference::multiply(a.data(), b.data(), length, expected.data());
    REQUIRE(first_difference(output.span(), expected.span()) == -1);
    multiply(a.data(), b.data(), length, a.data());
    REQUIRE(first_difference(a.span(), expected.span()) == -1);
    REQUIRE(output.intact());
  }
}

}  // namespace

void check_activation(bool fused) {
  for (Activation activation : {Activation::kRelu, Activation::kSwish, Activation::kGeluSigmoid, Activation::kGeluErf,
                                Activation::kGeluTanh, Activation::kSigmoid, Activation::kTanh}) {
    check_activation_kind(activation, fused);
  }
  check_pairs();
}

}  // namespace dragoman::kernels::test
