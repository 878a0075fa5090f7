// Which instruction set the kernels run on, and how tests and benchmarks force another one.
// Neighbours: every kernel dispatches through Highway's table; kernel_list.inc names the kernel files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dragoman::kernels {

// Highway targets (HWY_AVX2, HWY_NEON ...) that are compiled in and that this CPU can run, best first. The span is
// valid until the process ends. Not affected by force_target().
std::span<const int64_t> supported_targets();

// Makes every kernel of the process run on `target` (one of supported_targets()); 0 returns to the best one.
// False when this CPU or this build does not have it. For tests and benchmarks: not while a kernel is running.
bool force_target(int64_t target);

// The target the next kernel call will use, as the dispatch table itself answers.
int64_t active_target();

// "AVX3_DL", "NEON" ... for a target of supported_targets().
const char* target_name(int64_t target);

// True when multiply-adds are fused on `target`. All such targets, x86 and ARM, give the same bits as the scalar
// reference; the others differ from it by rounding only.
bool target_has_fma(int64_t target);

// One line of kernel_list.inc: a kernel file and the target its dispatch table selects now.
struct KernelEntry {
  const char* name;
  int64_t (*target)();
};

// All kernel files, in the list's order.
std::span<const KernelEntry> kernel_table();

}  // namespace dragoman::kernels
