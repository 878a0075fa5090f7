#include "base/thread_pool.h"

#include <pthreadpool.h>

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
}  // namespace

ThreadPool::~ThreadPool() {
  if (pool_ != nullptr) pthreadpool_destroy(pool_);
}

Result<ThreadPool> ThreadPool::create(size_t threads) {
  if (threads == 0) return Status::error(Code::kInvalidArgument, "threads: found 0, expected at least 1");
  ThreadPool pool;
  if (threads > 1) {
    pool.pool_ = pthreadpool_create(threads);
    if (pool.pool_ == nullptr) {
      return Status::error(Code::kOutOfMemory, "threads: could not start a pool of %zu threads", threads);
    }
  }
  return pool;
}

size_t ThreadPool::num_threads() const { return pool_ == nullptr ? 1 : pthreadpool_get_threads_count(pool_); }

void ThreadPool::run(Task task, const void* context, size_t count) const {
  if (pool_ == nullptr || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(context, 0, i);
    return;
  }
  Call call{task, context};
  pthreadpool_parallelize_1d_with_thread(pool_, forward, &call, count, 0);
}

}  // namespace dragoman
