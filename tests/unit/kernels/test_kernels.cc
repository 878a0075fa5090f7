// Every kernel file of kernel_list.inc on every target this CPU can run: forced, asserted, checked.
// Neighbours: test_<name>.cc defines check_<name>; a new line in the list without one does not link.
#include "kernel_check.h"
#include "kernels/dispatch.h"

namespace dragoman::kernels::test {

// Checks the kernels of one file on the forced target; `fused`: its results must have the reference's bits.
#define DRAGOMAN_KERNEL(name) void check_##name(bool fused);
#include "kernels/kernel_list.inc"
#undef DRAGOMAN_KERNEL

namespace {

struct Check {
  const char* name;
  void (*run)(bool fused);
};

constexpr Check kChecks[] = {
#define DRAGOMAN_KERNEL(name) {#name, check_##name},
#include "kernels/kernel_list.inc"
#undef DRAGOMAN_KERNEL
};

}  // namespace

TEST_CASE("every kernel agrees with its reference on every target", "[kernels]") {
  REQUIRE(!supported_targets().empty());
  REQUIRE(std::size(kChecks) == kernel_table().size());
  for (int64_t target : supported_targets()) {
    for (size_t i = 0; i < std::size(kChecks); ++i) {
      DYNAMIC_SECTION(kChecks[i].name << " on " << target_name(target)) {
        REQUIRE(force_target(target));
        REQUIRE(std::strcmp(kernel_table()[i].name, kChecks[i].name) == 0);
        REQUIRE(kernel_table()[i].target() == target);
        kChecks[i].run(target_has_fma(target));
        REQUIRE(kernel_table()[i].target() == target);
        force_target(0);
      }
    }
  }
}

TEST_CASE("a target that this machine lacks is refused", "[kernels]") {
  const int64_t before = active_target();
  CHECK_FALSE(force_target(int64_t{1} << 61));
  CHECK(active_target() == before);
  CHECK(force_target(0));
  CHECK(active_target() == supported_targets()[0]);
}

}  // namespace dragoman::kernels::test
