// Properties of the memory planner: no two live buffers overlap, everything is aligned, the block is no larger than
// needed for simple cases, and the result never changes.
#include "graph/memory_planner.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

#include "base/arena.h"

namespace dragoman::graph {
namespace {

size_t plan(std::vector<BufferRequest>* requests) {
  std::vector<uint32_t> order(requests->size());
  return plan_memory(*requests, order);
}

bool overlap(const BufferRequest& a, const BufferRequest& b) {
  const bool in_time = a.first <= b.last && b.first <= a.last;
  const bool in_space = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  return in_time && in_space;
}

std::vector<BufferRequest> random_requests(std::mt19937* random, size_t count) {
  std::vector<BufferRequest> requests;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t first = (*random)() % 40;
    requests.push_back({(*random)() % 5000, first, first + static_cast<uint32_t>((*random)() % 10)});
  }
  return requests;
}

size_t most_alive(const std::vector<BufferRequest>& requests) {
  size_t most = 0;
  for (uint32_t step = 0; step < 64; ++step) {
    size_t alive = 0;
    for (const BufferRequest& request : requests) {
      if (request.first <= step && step <= request.last) alive += request.bytes;
    }
    most = std::max(most, alive);
  }
  return most;
}

TEST_CASE("no two buffers that are alive together overlap") {
  std::mt19937 random(7);
  for (size_t round = 0; round < 200; ++round) {
    std::vector<BufferRequest> requests = random_requests(&random, round % 60);
    const size_t total = plan(&requests);
    CHECK(total >= most_alive(requests));
    for (size_t i = 0; i < requests.size(); ++i) {
      CHECK(requests[i].offset % kBufferAlignment == 0);
      CHECK(requests[i].offset + requests[i].bytes <= total);
      for (size_t k = 0; k < i; ++k) {
        if (requests[i].bytes > 0 && requests[k].bytes > 0) CHECK_FALSE(overlap(requests[i], requests[k]));
      }
    }
  }
}

TEST_CASE("the plan is deterministic") {
  std::mt19937 random(11);
  std::vector<BufferRequest> requests = random_requests(&random, 50);
  std::vector<BufferRequest> again = requests;
  CHECK(plan(&requests) == plan(&again));
  for (size_t i = 0; i < requests.size(); ++i) CHECK(requests[i].offset == again[i].offset);
}

TEST_CASE("buffers that never meet share one place") {
  std::vector<BufferRequest> requests = {{640, 0, 1}, {640, 2, 3}, {640, 4, 5}};
  CHECK(plan(&requests) == 640);
}

TEST_CASE("a chain needs room for two neighbours") {
  std::vector<BufferRequest> requests;
  for (uint32_t i = 0; i < 10; ++i) requests.push_back({1024, i, i + 1});
  CHECK(plan(&requests) == 2048);
}

TEST_CASE("nothing needs nothing") {
  std::vector<BufferRequest> requests;
  CHECK(plan(&requests) == 0);
}

}  // namespace
}  // namespace dragoman::graph
