// Counts heap allocations of the whole process, all threads, so that a test can demand that there are none.
// Neighbours: allocation_counter.cc replaces malloc; it must be compiled into the test executable itself.
#pragma once

#include <cstddef>

namespace dragoman::test {

// False where malloc cannot be replaced (sanitizers, C libraries other than glibc): a test must then say that it skips.
bool allocation_counter_works();

// Calls since the last reset of malloc, calloc, realloc, memalign, posix_memalign, aligned_alloc, valloc, pvalloc, and
// with them of operator new in every form. Releases do not count. Any thread.
size_t allocation_count();
// Bytes that those calls asked for (of a realloc, the new size).
size_t allocation_bytes();
void reset_allocation_count();

}  // namespace dragoman::test
