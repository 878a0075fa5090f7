#include "base/thread_pool.h"

#include <pthreadpool.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace dragoman {

namespace {
struct Call {
  void (*task)(const void*, size_t, size_t);
  const void* context;
};

void forward(void* call, size_t thread, size_t index) {
  const Call& c = *static_cast<const Call*>(call);
  c.task(c.context, thread, index);
}

// Workers spin while they wait, so many more of them than processors stop one another: 32 threads on 2 processors take
// a hundred times as long as one.
size_t most_threads() {
  constexpr long kAlwaysAllowed = 4;
#ifdef __linux__
  cpu_set_t allowed;
  const long processors = sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
#else
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return static_cast<size_t>(std::max(kAlwaysAllowed, 2 * processors));
}
}  // namespace

ThreadPool::~ThreadPool() {
  if (native() != nullptr) pthreadpool_destroy(pool_);
}

pthreadpool* ThreadPool::native() const { return pool_ != nullptr && getpid() == process_ ? pool_ : nullptr; }

Result<ThreadPool> ThreadPool::create(size_t threads) {
  if (threads == 0) return Status::error(Code::kInvalidArgument, "threads: found 0, expected at least 1");
  ThreadPool pool;
  if (threads > 1) {
    pool.process_ = getpid();
    pool.pool_ = pthreadpool_create(std::min(threads, most_threads()));
    if (pool.pool_ == nullptr) {
      return Status::error(Code::kOutOfMemory, "threads: could not start a pool of %zu threads", threads);
    }
  }
  return pool;
}

size_t ThreadPool::num_threads() const { return pool_ == nullptr ? 1 : pthreadpool_get_threads_count(pool_); }

void ThreadPool::run(Task task, const void* context, size_t count) const {
  pthreadpool* const pool = count > 1 ? native() : nullptr;
  if (pool == nullptr) {
    for (size_t i = 0; i < count; ++i) task(context, 0, i);
    return;
  }
  Call call{task, context};
  pthreadpool_parallelize_1d_with_thread(pool, forward, &call, count, 0);
}

}  // namespace dragoman
