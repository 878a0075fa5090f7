#include "graph/memory_planner.h"

#include <algorithm>

#include "base/arena.h"

namespace dragoman::graph {

namespace {

bool alive_together(const BufferRequest& a, const BufferRequest& b) { return a.first <= b.last && b.first <= a.last; }

// The lowest offset at which `request` fits beside the buffers already placed (`placed` ascends by offset).
size_t lowest_free_offset(const BufferRequest& request, std::span<const BufferRequest> requests,
                          std::span<const uint32_t> placed) {
  size_t offset = 0;
  for (const uint32_t index : placed) {
    const BufferRequest& other = requests[index];
    if (!alive_together(request, other)) continue;
    if (saturating_sum(offset, request.bytes) <= other.offset) break;
    offset = std::max(offset, align_up(saturating_sum(other.offset, other.bytes)));
  }
  return offset;
}

}  // namespace

size_t plan_memory(std::span<BufferRequest> requests, std::span<uint32_t> order) {
  const size_t count = requests.size();
  for (uint32_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.begin() + count, [&](uint32_t a, uint32_t b) {
    return requests[a].bytes != requests[b].bytes ? requests[a].bytes > requests[b].bytes : a < b;
  });
  size_t total = 0;
  // order[0, i) holds the placed buffers ascending by offset, order[i, count) those to place, largest first.
  for (size_t i = 0; i < count; ++i) {
    const uint32_t index = order[i];
    BufferRequest& request = requests[index];
    const auto placed = order.first(i);
    request.offset = lowest_free_offset(request, requests, placed);
    total = std::max(total, align_up(saturating_sum(request.offset, request.bytes)));
    size_t at = i;
    while (at > 0 && requests[order[at - 1]].offset > request.offset) {
      order[at] = order[at - 1];
      --at;
    }
    order[at] = index;
  }
  return total;
}

}  // namespace dragoman::graph
