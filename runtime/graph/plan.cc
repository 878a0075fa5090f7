#include "graph/plan.h"

#include <algorithm>

#include "graph/memory_planner.h"
#include "kernels/matmul.h"
#include "ops/quantize_rows.h"

namespace dragoman::graph {

namespace {

// A product reads a little behind its last row.
size_t f32_bytes(size_t rows, size_t width) {
  return saturating_sum(saturating_product(rows, width, sizeof(float)), kernels::kMatmulExtraInputBytes);
}

size_t i8_values_bytes(size_t rows, size_t width) {
  return align_up(saturating_sum(saturating_product(rows, width), kernels::kMatmulExtraInputBytes));
}

// int8 rows, then their parameters.
size_t i8_bytes(size_t rows, size_t width) {
  const size_t parameters = saturating_sum(rows, kernels::kMatmulExtraRowParameters);
  return saturating_sum(i8_values_bytes(rows, width), saturating_product(parameters, sizeof(kernels::RowQuantization)));
}

void list_buffers(const LoweredGraph& graph, ScheduleKind kind, const ops::Capacities& capacities, MemoryPlan* plan) {
  for (const ScheduledValue& value : graph.schedule(kind).values) {
    if (value.info.state >= 0) continue;
    const size_t rows = capacities.rows(value.info.row_space);
    PlannedBuffer buffer{value.info.name, kind,      false, rows, f32_bytes(rows, value.info.width), 0,
                         value.first,     value.last};
    if (value.needs_f32) plan->buffers.push_back(buffer);
    buffer.i8 = true;
    buffer.bytes = i8_bytes(rows, value.info.width);
    if (value.needs_i8) plan->buffers.push_back(buffer);
  }
}

void place_buffers(std::span<PlannedBuffer> buffers, MemoryPlan* plan) {
  std::vector<BufferRequest> requests;
  for (const PlannedBuffer& buffer : buffers) requests.push_back({buffer.bytes, buffer.first, buffer.last});
  std::vector<uint32_t> order(requests.size());
  plan->temporary_bytes = std::max(plan->temporary_bytes, plan_memory(requests, order));
  for (size_t i = 0; i < buffers.size(); ++i) buffers[i].offset = requests[i].offset;
}

bool is_cache(const model::StateInfo& state) { return state.kind == model::StateKind::kPositionCache; }

// Source states are written once; hypothesis states are read from one copy and written to the other; caches only grow.
size_t state_copies(const model::StateInfo& state) {
  return state.row_space == model::RowSpace::kSource || is_cache(state) ? 1 : 2;
}

size_t state_copy_bytes(const model::StateInfo& state, const ops::Capacities& capacities) {
  if (is_cache(state)) {
    return align_up(saturating_product(capacities.target_positions, capacities.hypothesis_rows,
                                       kernels::cache_row_bytes(capacities.cache_type, state.width / 2)));
  }
  const bool source = state.row_space == model::RowSpace::kSource;
  return align_up(source ? f32_bytes(capacities.source_state_rows, state_stride(state.width))
                         : f32_bytes(capacities.hypothesis_rows, state.width));
}

size_t scratch_stride(const LoweredGraph& graph, const ops::Capacities& capacities) {
  size_t bytes = 0;
  for (const Schedule& schedule : graph.schedules) {
    for (const ScheduledStep& step : schedule.steps) {
      if (step.definition == nullptr) continue;
      bytes = std::max(bytes, step.definition->needs(graph.node(step), capacities).scratch_bytes);
    }
  }
  return align_up(bytes);
}

}  // namespace

size_t state_bytes(const model::StateInfo& state, const ops::Capacities& capacities) {
  return saturating_product(state_copies(state), state_copy_bytes(state, capacities));
}

MemoryPlan make_memory_plan(const LoweredGraph& graph, const ops::Capacities& capacities) {
  MemoryPlan plan;
  list_buffers(graph, ScheduleKind::kSource, capacities, &plan);
  const size_t source_buffers = plan.buffers.size();
  list_buffers(graph, ScheduleKind::kTarget, capacities, &plan);
  const std::span<PlannedBuffer> all(plan.buffers);
  place_buffers(all.first(source_buffers), &plan);
  place_buffers(all.subspan(source_buffers), &plan);
  plan.scratch_stride = scratch_stride(graph, capacities);
  return plan;
}

// Binds values to memory and creates operators, one schedule after the other.
class PlanBuilder {
 public:
  PlanBuilder(const LoweredGraph& graph, const ops::Capacities& capacities, Arena* arena, kernels::HeapAccount* account,
              Plan* plan)
      : graph_(graph),
        capacities_(capacities),
        memory_(make_memory_plan(graph, capacities)),
        arena_(*arena),
        account_(account),
        plan_(*plan) {}

  Status run() {
    temporary_ = static_cast<std::byte*>(arena_.carve_bytes(memory_.temporary_bytes));
    scratch_ =
        static_cast<std::byte*>(arena_.carve_bytes(saturating_product(memory_.scratch_stride, capacities_.threads)));
    carve_states();
    for (size_t i = 0; i < kNumSchedules; ++i) {
      bind_values(static_cast<ScheduleKind>(i));
      DRAGOMAN_RETURN_IF_ERROR(create_operators(static_cast<ScheduleKind>(i)));
    }
    return Status();
  }

 private:
  bool only_measures() const { return arena_.is_measuring() || arena_.failed(); }

  void carve_states() {
    plan_.states_ = arena_.carve<ops::StateMatrix>(graph_.model.num_states());
    for (size_t i = 0; i < graph_.model.num_states(); ++i) {
      const model::StateInfo info = graph_.model.state(i);
      const bool source = info.row_space == model::RowSpace::kSource;
      ops::StateMatrix state{info.name, info.width, source ? state_stride(info.width) : info.width};
      if (is_cache(info)) {
        carve_cache(info, &state);
      } else {
        for (size_t copy = 0; copy < state_copies(info); ++copy) {
          state.copies[copy] = static_cast<float*>(arena_.carve_bytes(state_copy_bytes(info, capacities_)));
        }
      }
      if (!only_measures()) new (&plan_.states_[i]) ops::StateMatrix(state);
    }
  }

  void carve_cache(const model::StateInfo& info, ops::StateMatrix* state) {
    state->cache = static_cast<std::byte*>(arena_.carve_bytes(state_copy_bytes(info, capacities_)));
    state->cache_type = capacities_.cache_type;
    state->slots = capacities_.hypothesis_rows;
    state->row_bytes = kernels::cache_row_bytes(capacities_.cache_type, info.width / 2);
  }

  void bind_values(ScheduleKind kind) {
    values_.clear();
    if (only_measures()) return;
    auto buffer = std::find_if(memory_.buffers.begin(), memory_.buffers.end(),
                               [kind](const PlannedBuffer& b) { return b.schedule == kind; });
    for (const ScheduledValue& value : graph_.schedule(kind).values) {
      ops::Matrix matrix;
      matrix.name = value.info.name;
      matrix.space = value.info.row_space;
      matrix.width = matrix.stride = value.info.width;
      if (value.info.state >= 0) {
        bind_state(value, &matrix);
      } else {
        if (value.needs_f32) matrix.f32 = reinterpret_cast<float*>(temporary_ + (buffer++)->offset);
        if (value.needs_i8) bind_i8(temporary_ + buffer->offset, buffer->rows, &matrix), ++buffer;
      }
      values_.push_back(matrix);
    }
  }

  void bind_state(const ScheduledValue& value, ops::Matrix* matrix) const {
    matrix->in_source_state = true;
    const ops::StateMatrix& state = plan_.states_[static_cast<size_t>(value.info.state)];
    matrix->f32 = state.copies[0];
    matrix->stride = state.stride;
  }

  static void bind_i8(std::byte* at, size_t rows, ops::Matrix* matrix) {
    matrix->i8 = reinterpret_cast<int8_t*>(at);
    matrix->quantization = reinterpret_cast<kernels::RowQuantization*>(at + i8_values_bytes(rows, matrix->width));
  }

  Status create_operators(ScheduleKind kind) {
    const Schedule& schedule = graph_.schedule(kind);
    std::span<ops::Operator*>& operators = plan_.operators_[static_cast<size_t>(kind)];
    std::span<ops::Matrix>& outputs = plan_.outputs_[static_cast<size_t>(kind)];
    operators = arena_.carve<ops::Operator*>(schedule.steps.size());
    outputs = arena_.carve<ops::Matrix>(schedule.steps.size());
    std::fill(operators.begin(), operators.end(), nullptr);
    for (size_t i = 0; i < schedule.steps.size(); ++i) {
      const ScheduledStep& step = schedule.steps[i];
      void* place =
          arena_.carve_bytes(step.definition == nullptr ? sizeof(ops::QuantizeRows) : step.definition->instance_bytes);
      if (only_measures()) continue;
      new (&outputs[i]) ops::Matrix(step.output == kNoValue ? ops::Matrix() : values_[step.output]);
      DRAGOMAN_ASSIGN_OR_RETURN(operators[i], create_operator(step, place));
    }
    return Status();
  }

  Result<ops::Operator*> create_operator(const ScheduledStep& step, void* place) {
    if (step.definition == nullptr) {
      return static_cast<ops::Operator*>(new (place) ops::QuantizeRows(values_[step.output]));
    }
    ops::Bindings bindings;
    for (size_t i = 0; i < 2; ++i) {
      if (step.inputs[i] != kNoValue) bindings.inputs[i] = values_[step.inputs[i]];
    }
    if (step.output != kNoValue) bindings.output = values_[step.output];
    bindings.states = plan_.states_;
    bindings.scratch = scratch_;
    bindings.scratch_stride = memory_.scratch_stride;
    const ops::NodeContext node = graph_.node(step);
    auto& weights = const_cast<kernels::PackedWeights&>(graph_.weights);  // sealed and thread safe: only looked up
    return step.definition->create(ops::CreateContext{node, bindings, weights, *account_}, place);
  }

  const LoweredGraph& graph_;
  const ops::Capacities capacities_;
  const MemoryPlan memory_;
  Arena& arena_;
  kernels::HeapAccount* account_;
  Plan& plan_;
  std::byte* temporary_ = nullptr;
  std::byte* scratch_ = nullptr;
  std::vector<ops::Matrix> values_;
};

Status Plan::create(const LoweredGraph& graph, const ops::Capacities& capacities, Arena* arena,
                    kernels::HeapAccount* account) {
  return PlanBuilder(graph, capacities, arena, account, this).run();
}

Plan::~Plan() {
  for (const std::span<ops::Operator*>& schedule : operators_) {
    for (ops::Operator* op : schedule) {
      if (op != nullptr) op->~Operator();
    }
  }
}

}  // namespace dragoman::graph
