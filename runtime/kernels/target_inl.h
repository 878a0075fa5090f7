// The boilerplate that ends a kernel file: a function that answers which target this file's dispatch table selects.
// Neighbours: every kernel body; dispatch.cc collects the answers through kernel_list.inc.
#pragma once

// Inside the per-target namespace.
#define DRAGOMAN_DEFINE_TARGET() \
  static int64_t target_here() { return HWY_TARGET; }

// Once, outside it: defines int64_t dragoman::kernels::<name>_target().
#define DRAGOMAN_EXPORT_TARGET(name) \
  HWY_EXPORT(target_here);           \
  int64_t name##_target() { return HWY_DYNAMIC_DISPATCH(target_here)(); }
