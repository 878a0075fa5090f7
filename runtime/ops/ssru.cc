// Ssru: one step of the simpler simple recurrent unit; its cell lives in a hypothesis state.
#include "kernels/ssru.h"

#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  const model::ValueInfo input = node.input(0);
  const model::ValueInfo output = node.output();
  if (input.row_space != model::RowSpace::kHypothesis || output.row_space != model::RowSpace::kHypothesis) {
    return refuse(node, "works on hypothesis rows only");
  }
  if (input.width != uint64_t{2} * output.width) {
    return refuse(node, "input width %u, expected 2 x %u", input.width, output.width);
  }
  const uint32_t index = node.options<schema::Ssru>().state();
  if (index >= node.model.num_states()) return refuse(node, "state %u of %zu", index, node.model.num_states());
  const model::StateInfo state = node.model.state(index);
  if (state.row_space != model::RowSpace::kHypothesis || state.kind != model::StateKind::kRows ||
      state.width != output.width) {
    return refuse(node, "state '%s': expected hypothesis rows of width %u", state.name, output.width);
  }
  return Status();
}

class Ssru final : public Operator {
 public:
  explicit Ssru(const CreateContext& context)
      : input_(context.bindings.inputs[0]),
        output_(context.bindings.output),
        state_(context.bindings.states[context.node.options<schema::Ssru>().state()]) {}

  void run(const RunContext& run) override {
    kernels::SsruOptions options;
    options.rows = run.hypothesis_rows;
    options.width = output_.width;
    options.input = input_.first_row(run);
    options.input_stride = input_.stride;
    options.previous = state_.copies[run.state_phase];
    options.next = state_.copies[1 - run.state_phase];
    options.parents = run.parents;
    options.slots = run.slots;
    options.output = output_.first_row(run);
    options.output_stride = output_.stride;
    kernels::ssru_step(options);
    if (run.observer == nullptr) return;
    for (size_t row = 0; row < run.hypothesis_rows; ++row) {
      const float* cell = options.next + static_cast<size_t>(run.slots[row]) * state_.stride;
      run.observer->value(state_.name, cell, 1, state_.width, state_.stride);
    }
  }

 private:
  Matrix input_;
  Matrix output_;
  StateMatrix state_;
};

}  // namespace

extern const OpDefinition kSsruDefinition;
const OpDefinition kSsruDefinition = {"Ssru", check, needs_nothing, prepare_nothing, create_simple<Ssru>, sizeof(Ssru)};

}  // namespace dragoman::ops
