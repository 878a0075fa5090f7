// Forcing and asking for the instruction set, on top of Highway's dispatch table.
// Neighbours: kernel_list.inc; each kernel file defines <name>_target() with target_inl.h.
#include "kernels/dispatch.h"

#include "hwy/highway.h"

namespace dragoman::kernels {

#define DRAGOMAN_KERNEL(name) int64_t name##_target();
#include "kernels/kernel_list.inc"
#undef DRAGOMAN_KERNEL

namespace {

constexpr KernelEntry kKernels[] = {
#define DRAGOMAN_KERNEL(name) {#name, name##_target},
#include "kernels/kernel_list.inc"
#undef DRAGOMAN_KERNEL
};

constexpr size_t kMaxTargets = 64;

struct TargetList {
  int64_t targets[kMaxTargets];
  size_t count = 0;
};

// The CPU's targets, asked for once: SupportedTargets() itself follows force_target().
TargetList list_targets() {
  TargetList list;
  for (uint64_t rest = static_cast<uint64_t>(hwy::SupportedTargets() & HWY_TARGETS); rest != 0; rest &= rest - 1) {
    list.targets[list.count++] = static_cast<int64_t>(rest & (~rest + 1));
  }
  return list;
}

}  // namespace

std::span<const int64_t> supported_targets() {
  static const TargetList list = list_targets();
  return {list.targets, list.count};
}

bool force_target(int64_t target) {
  bool found = target == 0;
  for (int64_t candidate : supported_targets()) found = found || candidate == target;
  if (!found) return false;
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}

int64_t active_target() { return kKernels[0].target(); }

const char* target_name(int64_t target) { return hwy::TargetName(target); }

bool target_has_fma(int64_t target) {
#if HWY_ARCH_X86
  return target <= HWY_AVX2;
#elif HWY_ARCH_ARM_A64
  return target != HWY_SCALAR && target != HWY_EMU128;
#else
  (void)target;
  return false;
#endif
}

std::span<const KernelEntry> kernel_table() { return kKernels; }

}  // namespace dragoman::kernels
