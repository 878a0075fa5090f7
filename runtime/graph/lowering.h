// Turns the programs of a model into schedules: which steps run in which order, over which values, alive from when to
// when. Neighbours: built once when a model is opened; graph/plan sizes it for a session, inspect --graph and --memory
// print it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "kernels/packed_weights.h"
#include "model/model_view.h"
#include "ops/op.h"

namespace dragoman::graph {

// The source schedule is `encode` followed by `begin`; the target schedule is `step`.
enum class ScheduleKind : uint8_t { kSource = 0, kTarget = 1 };
inline constexpr size_t kNumSchedules = 2;

// A value of a schedule. It may live as floats, as int8 rows (a later product reads it so), or both.
struct ScheduledValue {
  model::ValueInfo info;
  bool needs_f32 = false;
  bool needs_i8 = false;
  uint32_t first = 0;  // step that writes it
  uint32_t last = 0;   // last step that reads it
};

inline constexpr uint32_t kNoValue = UINT32_MAX;

// One operator call.
struct ScheduledStep {
  const ops::OpDefinition* definition = nullptr;  // null: quantize `output` in place into its int8 rows
  model::ProgramKind program = model::ProgramKind::kEncode;
  uint32_t node = 0;  // index in the program
  uint32_t inputs[2] = {kNoValue, kNoValue};
  uint32_t output = kNoValue;
  size_t heads_before = 0;  // as in ops::NodeContext
};

struct Schedule {
  std::vector<ScheduledValue> values;
  std::vector<ScheduledStep> steps;
};

// What a model's sessions share: verified schedules and packed weights. Immutable once built; thread safe.
struct LoweredGraph {
  explicit LoweredGraph(const model::ModelView& view) : model(view) {}

  model::ModelView model;  // its bytes must outlive this
  model::ProgramView programs[model::kNumPrograms];
  ops::Compute compute = ops::Compute::kInt8;
  Schedule schedules[kNumSchedules];
  size_t operator_bytes = 0;  // what each session's operators will allocate beside its block
  kernels::PackedWeights weights;

  ops::NodeContext node(const ScheduledStep& step) const {
    const model::ProgramView& program = programs[static_cast<size_t>(step.program)];
    return ops::NodeContext{model, program, program.node(step.node), compute, step.heads_before};
  }
  const Schedule& schedule(ScheduleKind kind) const { return schedules[static_cast<size_t>(kind)]; }
};

// Checks every node and decides which values are kept as int8 rows; no weight is looked at. Allocates.
Status make_schedules(ops::Compute compute, LoweredGraph* graph);

// The same, then packs all weights. Every refusal that a file can cause beyond ModelView::open comes from here.
Status lower(ops::Compute compute, LoweredGraph* graph);

}  // namespace dragoman::graph
