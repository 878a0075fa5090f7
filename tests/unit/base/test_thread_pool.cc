// ThreadPool: every index once, thread numbers within bounds, refusal of zero threads.
// Neighbours: runtime/base/thread_pool.h.
#include "base/thread_pool.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <utility>

using dragoman::Code;
using dragoman::ThreadPool;

TEST_CASE("every index runs exactly once on a thread of the pool") {
  for (const size_t threads : {size_t{1}, size_t{2}, size_t{4}}) {
    auto pool = ThreadPool::create(threads);
    REQUIRE(pool.ok());
    CHECK(pool.value().num_threads() == threads);
    CHECK((pool.value().native() == nullptr) == (threads == 1));
    for (const size_t count : {size_t{0}, size_t{1}, size_t{3}, size_t{100}}) {
      std::array<std::atomic<int>, 100> seen = {};
      std::atomic<size_t> highest_thread = 0;
      pool.value().for_each(count, [&](size_t i, size_t thread) {
        seen[i].fetch_add(1);
        size_t highest = highest_thread.load();
        while (thread > highest && !highest_thread.compare_exchange_weak(highest, thread)) {
        }
      });
      for (size_t i = 0; i < seen.size(); ++i) CHECK(seen[i].load() == (i < count ? 1 : 0));
      CHECK(highest_thread.load() < threads);
    }
  }
}

TEST_CASE("rows computed by one to four threads have the same bits") {
  constexpr size_t kRows = 61;
  constexpr size_t kColumns = 257;
  std::array<float, kRows> expected = {};
  for (size_t threads = 1; threads <= 4; ++threads) {
    const auto pool = ThreadPool::create(threads);
    REQUIRE(pool.ok());
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::array<float, kRows> sums = {};
      pool.value().for_each(kRows, [&](size_t row, size_t) {
        for (size_t i = 0; i < kColumns; ++i) sums[row] += 1.0f / static_cast<float>(1 + row * kColumns + i);
      });
      if (threads == 1 && repetition == 0) expected = sums;
      REQUIRE(std::memcmp(sums.data(), expected.data(), sizeof(sums)) == 0);
    }
  }
}

TEST_CASE("one pool serves many calls of changing size") {
  const auto pool = ThreadPool::create(3);
  REQUIRE(pool.ok());
  std::atomic<size_t> total = 0;
  for (size_t count = 0; count < 200; ++count) {
    pool.value().for_each(count, [&](size_t i, size_t) { total.fetch_add(i + 1); });
  }
  CHECK(total.load() == 1333300);  // sum of n (n + 1) / 2 for n below 200
}

TEST_CASE("zero threads are refused") {
  const auto pool = ThreadPool::create(0);
  CHECK_FALSE(pool.ok());
  CHECK(pool.status().code() == Code::kInvalidArgument);
}

TEST_CASE("a moved pool leaves nothing behind") {
  auto made = ThreadPool::create(2);
  REQUIRE(made.ok());
  ThreadPool moved = std::move(made.value());
  CHECK(moved.num_threads() == 2);
  CHECK(made.value().num_threads() == 1);
}

TEST_CASE("BD-07: a pool has no more threads than the processors can serve") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  const auto processors = static_cast<size_t>(CPU_COUNT(&allowed));
  const auto pool = ThreadPool::create(10000);
  REQUIRE(pool.ok());
  CHECK(pool.value().num_threads() == std::max<size_t>(4, 2 * processors));
}

TEST_CASE("BD-07: the child of a fork does the work itself and ends") {
  constexpr unsigned kPatienceSeconds = 20;
  auto made = ThreadPool::create(3);
  REQUIRE(made.ok());
  std::atomic<int> sum = 0;
  const auto add = [&sum](size_t i, size_t) { sum.fetch_add(static_cast<int>(i)); };
  made.value().for_each(10, add);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(kPatienceSeconds);
    {
      const ThreadPool pool = std::move(made.value());
      pool.for_each(10, add);
    }
    _exit(sum.load());
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 90);
  made.value().for_each(10, add);
  CHECK(sum.load() == 90);
}
