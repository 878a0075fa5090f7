// The SSRU step: double precision, reference bits, parents and slots, steps in place.
#include "kernel_check.h"
#include "kernels/ssru.h"

namespace dragoman::kernels::test {
namespace {

void check_width(size_t width, float scale, bool fused) {
  Random random(width + 1);
  const size_t stride = 2 * width + 3;
  Guarded<float> input(3 * stride), previous(4 * width);
  fill(input.span(), random, scale);
  fill(previous.span(), random, scale);
  const int32_t parents[] = {3, -1, 0};
  const int32_t slots[] = {1, 0, 3};
  Guarded<float> next(4 * width), output(3 * width), reference_next(4 * width), reference_output(3 * width);
  fill(next.span(), random, 0.0f);
  fill(reference_next.span(), random, 0.0f);
  SsruOptions o = {.rows = 3,
                   .width = width,
                   .input = input.data(),
                   .input_stride = stride,
                   .previous = previous.data(),
                   .next = next.data(),
                   .parents = parents,
                   .slots = slots,
                   .output = output.data()};
  ssru_step(o);
  o.next = reference_next.data();
  o.output = reference_output.data();
  reference::ssru_step(o);
  REQUIRE(next.intact());
  REQUIRE(output.intact());
  std::vector<Expected> cells(4 * width), hidden(3 * width);
  for (size_t i = 0; i < width; ++i) cells[2 * width + i] = {0.0, 1e-37};  // no row writes slot 2
  for (size_t r = 0; r < 3; ++r) {
    for (size_t i = 0; i < width; ++i) {
      const double x = input[r * stride + i], gate = input[r * stride + width + i];
      const double old =
          parents[r] < 0 ? 0.0 : static_cast<double>(previous[static_cast<size_t>(parents[r]) * width + i]);
      const double f = 1 / (1 + std::exp(-gate));
      const double c = f * old + (1 - f) * x;
      const double bound = 8 * kUnit * (std::fabs(old) + std::fabs(x)) + 1e-37;
      cells[static_cast<size_t>(slots[r]) * width + i] = {c, bound};
      hidden[r * width + i] = {c > 0 ? c : 0, bound};
    }
  }
  judge(next.span(), reference_next.span(), cells, fused);
  judge(output.span(), reference_output.span(), hidden, fused);
  // In place, row r on slot r.
  Guarded<float> state(3 * width), apart(3 * width), plain(3 * width);
  std::memcpy(state.data(), previous.data(), 3 * width * sizeof(float));
  SsruOptions in_place = {.rows = 3,
                          .width = width,
                          .input = input.data(),
                          .input_stride = stride,
                          .previous = previous.data(),
                          .next = apart.data(),
                          .output = plain.data()};
  ssru_step(in_place);
  in_place.previous = in_place.next = state.data();
  ssru_step(in_place);
  REQUIRE(first_difference(state.span(), apart.span()) == -1);
}

}  // namespace

void check_ssru(bool fused) {
  for (size_t width : kLengths) {
    for (float scale : {1.0f, 20.0f, 1e30f}) check_width(width, scale, fused);
  }
}

}  // namespace dragoman::kernels::test
