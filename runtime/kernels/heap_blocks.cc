// Blocks are laid out as [padding][header][contents]; the header ends where the contents begin.
// Neighbours: see heap_blocks.h.
#include "kernels/heap_blocks.h"

#include <cstdint>
#include <new>

namespace dragoman::kernels {
namespace {

struct Header {
  HeapAccount* account;
  void* start;  // what the system gave
  size_t cost;
  size_t alignment;
};
static_assert(sizeof(Header) <= kHeapBlockHeaderBytes);

constinit HeapAccount process_account;
constinit thread_local HeapAccount* account_in_force = nullptr;

size_t effective_alignment(size_t alignment) {
  return alignment < kHeapBlockHeaderBytes ? kHeapBlockHeaderBytes : alignment;
}

Header* header_of(const void* block) {
  return reinterpret_cast<Header*>(reinterpret_cast<uintptr_t>(block) - sizeof(Header));
}

}  // namespace

HeapAccount& process_heap_account() { return process_account; }

ChargeHeapTo::ChargeHeapTo(HeapAccount& account) : previous_(account_in_force) { account_in_force = &account; }
ChargeHeapTo::~ChargeHeapTo() { account_in_force = previous_; }

size_t heap_block_cost(size_t bytes, size_t alignment) {
  const size_t step = effective_alignment(alignment);
  if (bytes > SIZE_MAX / 2 || step > SIZE_MAX / 8) return 0;
  return step + (bytes + step - 1) / step * step;
}

void* allocate_heap_block(size_t bytes, size_t alignment) {
  const size_t step = effective_alignment(alignment);
  const size_t cost = heap_block_cost(bytes, alignment);
  if (cost == 0) return nullptr;
  void* start = ::operator new(cost, std::align_val_t(step), std::nothrow);
  if (start == nullptr) return nullptr;
  void* block = static_cast<std::byte*>(start) + step;
  HeapAccount* account = account_in_force != nullptr ? account_in_force : &process_account;
  *header_of(block) = {account, start, cost, step};
  account->bytes.fetch_add(cost, std::memory_order_relaxed);
  account->blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void release_heap_block(void* block) {
  if (block == nullptr) return;
  const Header header = *header_of(block);
  header.account->bytes.fetch_sub(header.cost, std::memory_order_relaxed);
  header.account->blocks.fetch_sub(1, std::memory_order_relaxed);
  ::operator delete(header.start, std::align_val_t(header.alignment), std::nothrow);
}

size_t heap_block_bytes(const void* block) {
  const Header* header = header_of(block);
  return header->cost - header->alignment;
}

}  // namespace dragoman::kernels
