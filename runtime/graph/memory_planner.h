// Places temporary buffers in one block by lifetime: sizes and lifetimes in, offsets out.
// Neighbours: graph/plan describes the values of the programs; inspect --memory prints the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace dragoman::graph {

// One buffer that is needed from step `first` to step `last`, both inclusive.
struct BufferRequest {
  size_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  size_t offset = 0;  // result: a multiple of kBufferAlignment
};

// Gives every request an offset so that no two that are alive at the same step overlap, and returns the bytes of the
// block. Larger buffers are placed first, each at the lowest offset that is free during its life ("greedy by size",
// Pisarchyk and Lee 2020). Deterministic. `order` is scratch of requests.size() entries. Quadratic in the number of
// requests; does not allocate.
size_t plan_memory(std::span<BufferRequest> requests, std::span<uint32_t> order);

}  // namespace dragoman::graph
