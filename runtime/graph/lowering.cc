#include "graph/lowering.h"

#include <algorithm>

namespace dragoman::graph {

namespace {

// Session sizes do not matter for the questions asked here.
constexpr ops::Capacities kAnyCapacities{1, 1, 1, 1, 1};

// Appends one program to a schedule. `input_value`: the schedule's value that the program's input stands for.
class ProgramLowering {
 public:
  ProgramLowering(const LoweredGraph& graph, model::ProgramKind kind, Schedule* schedule)
      : graph_(graph), kind_(kind), program_(graph.programs[static_cast<size_t>(kind)]), schedule_(*schedule) {}

  Status run(uint32_t input_value) {
    DRAGOMAN_RETURN_IF_ERROR(add_values(input_value));
    for (uint32_t i = 0; i < program_.num_nodes(); ++i) DRAGOMAN_RETURN_IF_ERROR(add_node(i));
    return Status();
  }

  // The schedule's value for the program's output; kNoValue when it has none.
  uint32_t output_value() const {
    return program_.output() < 0 ? kNoValue : indices_[static_cast<size_t>(program_.output())];
  }

 private:
  Status add_values(uint32_t input_value) {
    const bool target = kind_ == model::ProgramKind::kStep;
    for (size_t i = 0; i < program_.num_values(); ++i) {
      const model::ValueInfo info = program_.value(i);
      if (info.row_space != (target ? model::RowSpace::kHypothesis : model::RowSpace::kSource)) {
        return Status::error(Code::kUnsupported, "%s: value '%.60s' of %s rows is not supported",
                             model::program_name(kind_), info.name, model::row_space_name(info.row_space));
      }
      if (static_cast<int32_t>(i) == program_.input()) {
        DRAGOMAN_RETURN_IF_ERROR(check_input(info, input_value));
        indices_.push_back(input_value);
        continue;
      }
      if (info.state >= 0 && target) {
        return Status::error(Code::kUnsupported, "step: value '%.60s' in a hypothesis state is not supported",
                             info.name);
      }
      indices_.push_back(static_cast<uint32_t>(schedule_.values.size()));
      schedule_.values.push_back(ScheduledValue{info});
    }
    return Status();
  }

  Status check_input(const model::ValueInfo& info, uint32_t input_value) const {
    if (input_value == kNoValue) {
      return Status::error(Code::kDamaged, "%s: its input '%.60s' has no program before it that gives it",
                           model::program_name(kind_), info.name);
    }
    const model::ValueInfo& given = schedule_.values[input_value].info;
    if (given.width == info.width && info.state < 0) return Status();
    return Status::error(Code::kDamaged, "%s: input '%.60s' has width %u, but '%.60s' has %u",
                         model::program_name(kind_), info.name, info.width, given.name, given.width);
  }

  Status add_node(uint32_t index) {
    const model::NodeInfo info = program_.node(index);
    const ops::NodeContext node{graph_.model, program_, info, graph_.compute, num_heads_};
    const ops::OpDefinition* definition = ops::find_op(info.op);
    if (definition == nullptr) {
      return Status::error(Code::kUnsupported, "%s: node %u: operator %d is not known to this build",
                           model::program_name(kind_), index, static_cast<int>(info.op));
    }
    DRAGOMAN_RETURN_IF_ERROR(definition->check(node));
    ScheduledStep step{definition, kind_, index};
    step.heads_before = num_heads_;
    num_heads_ += ops::cross_attention_heads(info);
    const auto now = static_cast<uint32_t>(schedule_.steps.size());
    const bool quantized = definition->needs(node, kAnyCapacities).quantized_input;
    for (size_t i = 0; i < info.inputs.size(); ++i) {
      step.inputs[i] = indices_[info.inputs[i]];
      ScheduledValue& value = schedule_.values[step.inputs[i]];
      (quantized && i == 0 ? value.needs_i8 : value.needs_f32) = true;
      if (value.needs_i8 && value.info.state >= 0) {
        return Status::error(Code::kUnsupported, "%s: '%.60s' lives in a state and cannot be read as int8 rows",
                             model::program_name(kind_), value.info.name);
      }
      value.last = now;
    }
    if (!info.outputs.empty()) {
      step.output = indices_[info.outputs[0]];
      schedule_.values[step.output].first = schedule_.values[step.output].last = now;
    }
    schedule_.steps.push_back(step);
    return Status();
  }

  const LoweredGraph& graph_;
  model::ProgramKind kind_;
  const model::ProgramView& program_;
  Schedule& schedule_;
  std::vector<uint32_t> indices_;  // program value -> schedule value
  size_t num_heads_ = 0;           // of the cross-attentions so far
};

// Inserts a quantizing step behind each producer that cannot write int8 rows itself, and moves lifetimes along.
void insert_quantize_steps(const LoweredGraph& graph, Schedule* schedule) {
  std::vector<ScheduledStep> steps;
  std::vector<uint32_t> moved;  // old step -> new step
  for (const ScheduledStep& step : schedule->steps) {
    moved.push_back(static_cast<uint32_t>(steps.size()));
    steps.push_back(step);
    if (step.output == kNoValue || !schedule->values[step.output].needs_i8) continue;
    if (step.definition->needs(graph.node(step), kAnyCapacities).emits_quantized) continue;
    ScheduledStep quantize = step;
    quantize.definition = nullptr;
    quantize.inputs[0] = quantize.inputs[1] = kNoValue;
    steps.push_back(quantize);
  }
  for (ScheduledValue& value : schedule->values) {
    const bool read_later = value.last > value.first;
    value.first = moved[value.first];
    value.last = read_later ? moved[value.last] : value.first;
  }
  schedule->steps = std::move(steps);
}

// A value that nobody reads as floats must still exist as floats where its producer writes nothing else.
void keep_produced_floats(const LoweredGraph& graph, Schedule* schedule) {
  for (const ScheduledStep& step : schedule->steps) {
    if (step.output == kNoValue || step.definition == nullptr) continue;
    ScheduledValue& value = schedule->values[step.output];
    const bool emits = step.definition->needs(graph.node(step), kAnyCapacities).emits_quantized;
    if (!emits || !value.needs_i8) value.needs_f32 = true;
  }
}

Status prepare_weights(LoweredGraph* graph) {
  for (const Schedule& schedule : graph->schedules) {
    for (const ScheduledStep& step : schedule.steps) {
      if (step.definition == nullptr) continue;
      DRAGOMAN_ASSIGN_OR_RETURN(const size_t bytes, step.definition->prepare(graph->node(step), graph->weights));
      graph->operator_bytes += bytes;
    }
  }
  graph->weights.seal();
  return Status();
}

}  // namespace

Status make_schedules(ops::Compute compute, LoweredGraph* graph) {
  graph->compute = compute;
  for (size_t i = 0; i < model::kNumPrograms; ++i) {
    graph->programs[i] = graph->model.program(static_cast<model::ProgramKind>(i));
  }
  Schedule* source = &graph->schedules[static_cast<size_t>(ScheduleKind::kSource)];
  Schedule* target = &graph->schedules[static_cast<size_t>(ScheduleKind::kTarget)];
  ProgramLowering encode(*graph, model::ProgramKind::kEncode, source);
  DRAGOMAN_RETURN_IF_ERROR(encode.run(kNoValue));
  ProgramLowering begin(*graph, model::ProgramKind::kBegin, source);
  DRAGOMAN_RETURN_IF_ERROR(begin.run(encode.output_value()));
  ProgramLowering step(*graph, model::ProgramKind::kStep, target);
  DRAGOMAN_RETURN_IF_ERROR(step.run(kNoValue));
  for (Schedule& schedule : graph->schedules) {
    keep_produced_floats(*graph, &schedule);
    insert_quantize_steps(*graph, &schedule);
  }
  return Status();
}

Status lower(ops::Compute compute, LoweredGraph* graph) {
  DRAGOMAN_RETURN_IF_ERROR(make_schedules(compute, graph));
  return prepare_weights(graph);
}

}  // namespace dragoman::graph
