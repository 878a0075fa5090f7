// A table from what XNNPACK chooses and from measured times of one row and of a whole group (256 x 256 to 1536 x 256).
// Neighbours: see matmul_grouping.h.
#include "kernels/matmul_grouping.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace dragoman::kernels {

#if defined(__x86_64__) || defined(__i386__)

RowGrouping row_grouping_of_this_processor() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has_leaf = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0;
  const bool amx_int8 = has_leaf && (d >> 25 & 1) != 0;
  if (amx_int8) return {16, 1};                              // not measured: one row is never dearer than a group
  if (__builtin_cpu_supports("avx512vnni")) return {10, 4};  // a group costs as much as 5.1 rows
  if (__builtin_cpu_supports("avx512bw")) return {8, 4};     // 5.4 rows
  return {4, 2};                                             // AVX2: 3.0 rows
}

#else

// Four rows on aarch64 with dot products; not measured there: one row is never dearer than a group.
RowGrouping row_grouping_of_this_processor() { return {4, 1}; }

#endif

}  // namespace dragoman::kernels
