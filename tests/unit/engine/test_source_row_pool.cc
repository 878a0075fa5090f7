// The pool of source rows: first fit, no overlap, everything comes back.
#include "engine/source_row_pool.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace dragoman::engine {
namespace {

struct Block {
  alignas(kBufferAlignment) std::byte bytes[4096];
};

TEST_CASE("ranges are taken first fit") {
  auto block = std::make_unique<Block>();
  Arena arena(block->bytes, sizeof(block->bytes));
  SourceRowPool pool;
  pool.carve(100, 4, &arena);
  CHECK(pool.longest_free() == 100);
  CHECK(pool.take(40) == 0);
  CHECK(pool.take(40) == 40);
  CHECK(pool.take(30) == SourceRowPool::kNone);
  CHECK(pool.longest_free() == 20);
  pool.release(0);
  CHECK(pool.longest_free() == 40);
  CHECK(pool.take(10) == 0);
  CHECK(pool.take(30) == 10);
  pool.clear();
  CHECK(pool.take(100) == 0);
  CHECK(pool.take(1) == SourceRowPool::kNone);
}

TEST_CASE("releasing an unknown range changes nothing") {
  auto block = std::make_unique<Block>();
  Arena arena(block->bytes, sizeof(block->bytes));
  SourceRowPool pool;
  pool.carve(10, 2, &arena);
  CHECK(pool.take(5) == 0);
  pool.release(3);
  CHECK(pool.longest_free() == 5);
}

TEST_CASE("random taking and releasing never overlaps") {
  auto block = std::make_unique<Block>();
  Arena arena(block->bytes, sizeof(block->bytes));
  constexpr size_t kRows = 300;
  constexpr size_t kRanges = 16;
  SourceRowPool pool;
  pool.carve(kRows, kRanges, &arena);
  std::mt19937 random(3);
  std::map<size_t, size_t> taken;  // begin -> length
  for (size_t round = 0; round < 5000; ++round) {
    if (taken.size() < kRanges && random() % 2 == 0) {
      const size_t length = 1 + random() % 60;
      const size_t longest = pool.longest_free();
      const size_t begin = pool.take(length);
      CHECK((begin != SourceRowPool::kNone) == (length <= longest));
      if (begin == SourceRowPool::kNone) continue;
      const auto next = taken.lower_bound(begin);
      CHECK((next == taken.end() || begin + length <= next->first));
      CHECK((next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= begin));
      CHECK(begin + length <= kRows);
      taken[begin] = length;
    } else if (!taken.empty()) {
      auto victim = std::next(taken.begin(), static_cast<ptrdiff_t>(random() % taken.size()));
      pool.release(victim->first);
      taken.erase(victim);
    }
  }
}

}  // namespace
}  // namespace dragoman::engine
