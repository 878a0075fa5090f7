// Who pays for a heap block: each block that the products allocate is charged to one account and given back to it.
// Neighbours: a session and a model own an account each; kernels/heap_blocks.h charges them.
#pragma once

#include <atomic>
#include <cstddef>

namespace dragoman::kernels {

// Bytes and blocks on loan at the moment, as requested from malloc (what malloc adds of its own is not known to us).
// Blocks remember their account's address: it must not move and must outlive them. Any thread may read it.
struct HeapAccount {
  std::atomic<size_t> bytes{0};
  std::atomic<size_t> blocks{0};

  HeapAccount() = default;
  HeapAccount(const HeapAccount&) = delete;
  HeapAccount& operator=(const HeapAccount&) = delete;
};

// What XNNPACK allocated for the whole process when it was first used, and keeps (0 bytes in the pinned version: its
// tables are static). A line of its own in a memory report.
HeapAccount& process_heap_account();

}  // namespace dragoman::kernels
