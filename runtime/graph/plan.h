// Gives every value, state and operator of a session its place, and creates the operators: the last place that may fail
// or allocate.
// Neighbours: graph/lowering before it, graph/executor after it; engine/ carves its own buffers from the same arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "graph/lowering.h"
#include "ops/op.h"

namespace dragoman::graph {

// A line of `inspect --memory`: one buffer of the plan.
struct PlannedBuffer {
  const char* name = "";
  ScheduleKind schedule = ScheduleKind::kSource;
  bool i8 = false;  // int8 rows with their parameters, else floats
  size_t rows = 0;
  size_t bytes = 0;
  size_t offset = 0;   // from the start of the temporary region, which both schedules share
  uint32_t first = 0;  // steps, inclusive
  uint32_t last = 0;
};

// Floats from row to row of a state of this width. Never a multiple of 4096 bytes: rows would compete for the same
// cache sets.
constexpr size_t state_stride(size_t width) { return width % 1024 == 0 ? width + 16 : width; }

// Bytes of one state in the session's block.
size_t state_bytes(const model::StateInfo& state, const ops::Capacities& capacities);

// The offsets of all temporary values.
struct MemoryPlan {
  std::vector<PlannedBuffer> buffers;  // by schedule, then value
  size_t temporary_bytes = 0;          // the larger of the two schedules
  size_t scratch_stride = 0;           // per thread
};
MemoryPlan make_memory_plan(const LoweredGraph& graph, const ops::Capacities& capacities);

// The operators of one session, ready to run. Lives in the session's block; destroys its operators.
class Plan {
 public:
  Plan() = default;
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // Carves everything from `arena`; with a measuring arena only counts and creates nothing. `graph` and `account` must
  // outlive the plan. Errors: kOutOfMemory. A partly created plan is destroyed cleanly.
  Status create(const LoweredGraph& graph, const ops::Capacities& capacities, Arena* arena,
                kernels::HeapAccount* account);

  // In order.
  std::span<ops::Operator* const> operators(ScheduleKind kind) const { return operators_[static_cast<size_t>(kind)]; }
  // [steps] what each operator writes, for observers.
  std::span<const ops::Matrix> outputs(ScheduleKind kind) const { return outputs_[static_cast<size_t>(kind)]; }

 private:
  friend class PlanBuilder;
  std::span<ops::Operator*> operators_[kNumSchedules];
  std::span<ops::Matrix> outputs_[kNumSchedules];
  std::span<ops::StateMatrix> states_;
};

}  // namespace dragoman::graph
