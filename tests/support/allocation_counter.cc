// glibc lets an executable define malloc and its kin; the originals stay reachable under their internal names.
// Neighbours: see allocation_counter.h. libstdc++'s operator new calls malloc or aligned_alloc, so it is counted too.
#include "allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DRAGOMAN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define DRAGOMAN_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(DRAGOMAN_SANITIZED)
#define DRAGOMAN_COUNTS_ALLOCATIONS 1
#else
#define DRAGOMAN_COUNTS_ALLOCATIONS 0
#endif

namespace dragoman::test {
namespace {
constinit std::atomic<size_t> calls{0};
constinit std::atomic<size_t> bytes_asked{0};
}  // namespace

size_t allocation_count() { return calls.load(std::memory_order_relaxed); }
size_t allocation_bytes() { return bytes_asked.load(std::memory_order_relaxed); }

void reset_allocation_count() {
  calls.store(0, std::memory_order_relaxed);
  bytes_asked.store(0, std::memory_order_relaxed);
}

#if DRAGOMAN_COUNTS_ALLOCATIONS

// Proves it rather than promises it: the linker may have taken another malloc.
bool allocation_counter_works() {
  const size_t before = allocation_count();
  void* volatile block = std::malloc(1);
  std::free(block);
  return allocation_count() > before;
}

namespace {
void count(size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  bytes_asked.fetch_add(bytes, std::memory_order_relaxed);
}
}  // namespace

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void* __libc_valloc(size_t);
void* __libc_pvalloc(size_t);

void* malloc(size_t bytes) noexcept {
  count(bytes);
  return __libc_malloc(bytes);
}

void* calloc(size_t number, size_t bytes) noexcept {
  count(number * bytes);
  return __libc_calloc(number, bytes);
}

void* realloc(void* block, size_t bytes) noexcept {
  count(bytes);
  return __libc_realloc(block, bytes);
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
  count(bytes);
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* made = __libc_memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

void* valloc(size_t bytes) noexcept {
  count(bytes);
  return __libc_valloc(bytes);
}

void* pvalloc(size_t bytes) noexcept {
  count(bytes);
  return __libc_pvalloc(bytes);
}

}  // extern "C"

#else

bool allocation_counter_works() { return false; }

#endif

}  // namespace dragoman::test
