// The project's own kernels give the same ids and score bits on every instruction set that has fused multiply-add.
// Neighbours: kernels/dispatch forces one for the whole process; XNNPACK chooses for itself (tests/isa covers it).
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "kernels/dispatch.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::OpenModel;

// Returns to the best target at its end.
struct ForcedTarget {
  explicit ForcedTarget(int64_t target) { REQUIRE(kernels::force_target(target)); }
  ~ForcedTarget() { kernels::force_target(0); }
};

void check_targets(const OpenModel& model, std::span<const std::string> texts) {
  const auto expected = test::translate(model.session(test::batch_options(3)).get(), texts);
  size_t tried = 0;
  for (const int64_t target : kernels::supported_targets()) {
    if (!kernels::target_has_fma(target)) continue;
    const ForcedTarget forced(target);
    CAPTURE(kernels::target_name(target));
    for (const kernels::KernelEntry& kernel : kernels::kernel_table()) {
      CAPTURE(kernel.name);
      REQUIRE(kernel.target() == target);
    }
    for (const uint32_t batch : {1u, 5u}) {
      const auto results = test::translate(model.session(test::batch_options(batch)).get(), texts);
      size_t differ = 0;
      for (size_t i = 0; i < texts.size(); ++i) differ += results[i] == expected[i] ? 0 : 1;
      CHECK(differ == 0);
    }
    ++tried;
  }
  if (tried == 0) SKIP("this processor has no fused multiply-add");
}

TEST_CASE("RT-07: every instruction set with fused multiply-add") {
  const std::vector<std::string> texts = test::mixed_texts(80, 40);
  check_targets(OpenModel(test::tiny_model()), texts);
  check_targets(OpenModel(test::tiny_model(), DRAGOMAN_COMPUTE_F32), texts);
}

TEST_CASE("RT-07: real model, every instruction set with fused multiply-add", "[long]") {
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  check_targets(OpenModel(real->path), std::span(real->sentences).subspan(300, 40));
}

// Without fused multiply-add scores may round differently; every target must still translate everything.
TEST_CASE("every other instruction set translates too") {
  const OpenModel model(test::tiny_model());
  const std::vector<std::string> texts = test::mixed_texts(20, 20);
  for (const int64_t target : kernels::supported_targets()) {
    const ForcedTarget forced(target);
    CAPTURE(kernels::target_name(target));
    for (const test::KeptInput& input : test::translate(model.session(test::batch_options(4)).get(), texts)) {
      for (const test::KeptSegment& segment : input.segments) CHECK_FALSE(segment.ids.empty());
    }
  }
}

}  // namespace
}  // namespace dragoman
