// A handle on the threads that one session may use inside an operator.
// Neighbours: kernels/matmul hands the native pool to XNNPACK, ops/ split rows over it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <utility>

#include "base/status.h"

struct pthreadpool;

namespace dragoman {

// Owns `threads - 1` workers (none for 1). Results never depend on the number of threads: work is split by rows, and a
// row is computed by one thread. One caller at a time. In the child of a fork(), where the workers do not exist, the
// caller does all the work.
class ThreadPool {
 public:
  ThreadPool() = default;
  ~ThreadPool();
  ThreadPool(ThreadPool&& other) noexcept : pool_(other.pool_), process_(other.process_) { other.pool_ = nullptr; }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  void swap(ThreadPool& other) {
    std::swap(pool_, other.pool_);
    std::swap(process_, other.process_);
  }

  // threads >= 1; more than twice the processors (or 4) get that many. Allocates; the only call that does.
  static Result<ThreadPool> create(size_t threads);

  size_t num_threads() const;

  // Calls body(i, thread) for i in [0, count), thread < num_threads(); blocks until all are done. Does not allocate.
  template <typename Body>
  void for_each(size_t count, const Body& body) const {
    run([](const void* context, size_t thread, size_t i) { (*static_cast<const Body*>(context))(i, thread); }, &body,
        count);
  }

  // Null for one thread, and in the child of a fork().
  pthreadpool* native() const;

 private:
  using Task = void (*)(const void* context, size_t thread, size_t index);
  void run(Task task, const void* context, size_t count) const;

  pthreadpool* pool_ = nullptr;
  pid_t process_ = 0;  // that has the workers
};

}  // namespace dragoman
