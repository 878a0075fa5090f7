#include "base/thread_pool.h"

#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>

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

// pthreadpool waits for ever for a worker that the system refused to start, so as many are started here first. They
// wait for the lock, and are thus there all at once.
bool can_start(size_t count) {
  constexpr size_t kMostAtOnce = 1024;
  std::array<pthread_t, kMostAtOnce> threads;
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  const auto wait = [](void* lock) -> void* {
    pthread_mutex_lock(static_cast<pthread_mutex_t*>(lock));
    pthread_mutex_unlock(static_cast<pthread_mutex_t*>(lock));
    return nullptr;
  };
  pthread_mutex_lock(&held);
  size_t started = 0;
  while (started < std::min(count, kMostAtOnce) && pthread_create(&threads[started], nullptr, wait, &held) == 0) {
    ++started;
  }
  pthread_mutex_unlock(&held);
  for (size_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return started == count;
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
    const size_t used = std::min(threads, most_threads());
    pool.process_ = getpid();
    if (can_start(used - 1)) pool.pool_ = pthreadpool_create(used);
    if (pool.pool_ == nullptr) {
      return Status::error(Code::kOutOfMemory, "threads: could not start a pool of %zu threads", used);
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
