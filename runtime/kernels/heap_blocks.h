// Aligned heap blocks that remember who pays for them: the functions behind XNNPACK's allocator and PackedWeights.
// Neighbours: kernels/heap_account.h is what they charge; kernels/matmul.cc hands them to XNNPACK.
#pragma once

#include <cstddef>

#include "kernels/heap_account.h"

namespace dragoman::kernels {

// Book-keeping in front of every block: the account and the size.
inline constexpr size_t kHeapBlockHeaderBytes = 64;

// While it lives, blocks allocated by this thread are charged to `account`; without one, to process_heap_account().
class ChargeHeapTo {
 public:
  explicit ChargeHeapTo(HeapAccount& account);
  ~ChargeHeapTo();
  ChargeHeapTo(const ChargeHeapTo&) = delete;
  ChargeHeapTo& operator=(const ChargeHeapTo&) = delete;

 private:
  HeapAccount* previous_;
};

// A block of `bytes` on a boundary of at least 64 bytes (`alignment`: a power of two), or null. Charges
// heap_block_cost(bytes, alignment), which is what it requests from the system.
void* allocate_heap_block(size_t bytes, size_t alignment);

// Gives `block` (or null) back to the system and its cost to the account that paid, from whatever thread.
void release_heap_block(void* block);

// What allocate_heap_block() charges; 0 when the size overflows (it then returns null).
size_t heap_block_cost(size_t bytes, size_t alignment);

// Size that `block` was allocated with, at least (rounded up to whole 64 bytes).
size_t heap_block_bytes(const void* block);

}  // namespace dragoman::kernels
