// CrossAttention: each decoder row attends to the kept keys and values of its sentence.
#include "kernels/cross_attention.h"

#include <algorithm>

#include "base/buffer_size.h"
#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

size_t cross_attention_heads(const model::NodeInfo& node) {
  if (node.op != model::OpKind::kCrossAttention) return 0;
  return static_cast<const schema::CrossAttention*>(node.options)->num_heads();
}

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  DRAGOMAN_RETURN_IF_ERROR(expect_same_shape(node));
  const schema::CrossAttention& options = node.options<schema::CrossAttention>();
  const model::ValueInfo output = node.output();
  if (output.row_space != model::RowSpace::kHypothesis) return refuse(node, "works on hypothesis rows only");
  if (options.num_heads() == 0 || output.width % options.num_heads() != 0) {
    return refuse(node, "%u heads do not divide a width of %u", options.num_heads(), output.width);
  }
  if (options.state() >= node.model.num_states()) {
    return refuse(node, "state %u of %zu", options.state(), node.model.num_states());
  }
  const model::StateInfo state = node.model.state(options.state());
  if (state.row_space != model::RowSpace::kSource) return refuse(node, "state '%s' is not of source rows", state.name);
  if (uint64_t{options.key_offset()} + output.width > state.width ||
      uint64_t{options.value_offset()} + output.width > state.width) {
    return refuse(node, "keys at %u and values at %u of width %u lie outside state '%s' of width %u",
                  options.key_offset(), options.value_offset(), output.width, state.name, state.width);
  }
  return Status();
}

// Scratch: the kernel's own, then the probabilities [num_heads, max_source_length] where they are asked for.
size_t kernel_scratch_bytes(size_t max_source_length, size_t num_heads) {
  return align_up(kernels::cross_attention_scratch_bytes(max_source_length, num_heads));
}

NodeNeeds needs(const NodeContext& node, const Capacities& capacities) {
  const size_t heads = node.options<schema::CrossAttention>().num_heads();
  NodeNeeds needs;
  needs.scratch_bytes = saturating_sum(kernel_scratch_bytes(capacities.max_source_length, heads),
                                       saturating_product(heads, capacities.max_source_length, sizeof(float)));
  return needs;
}

class CrossAttention final : public Operator {
 public:
  explicit CrossAttention(const CreateContext& context) : bindings_(context.bindings) {
    const schema::CrossAttention& options = context.node.options<schema::CrossAttention>();
    num_heads_ = options.num_heads();
    first_head_ = context.node.heads_before;
    const StateMatrix& state = context.bindings.states[options.state()];
    keys_ = state.copies[0] + options.key_offset();
    values_ = state.copies[0] + options.value_offset();
    state_stride_ = state.stride;
  }

  void run(const RunContext& run) override {
    for_row_blocks(run, run.hypothesis_rows, 1, [&](size_t begin, size_t end, size_t thread) {
      for (size_t row = begin; row < end; ++row) run_row(run, row, thread);
    });
  }

 private:
  void run_row(const RunContext& run, size_t row, size_t thread) const {
    const Matrix& input = bindings_.inputs[0];
    const Matrix& output = bindings_.output;
    const SourceRange source = run.sources[row];
    std::byte* scratch = bindings_.thread_scratch(thread);
    kernels::CrossAttentionRow attention;
    attention.query = input.first_row(run) + row * input.stride;
    attention.keys = keys_ + source.begin * state_stride_;
    attention.values = values_ + source.begin * state_stride_;
    attention.stride = state_stride_;
    attention.source_length = source.length;
    attention.num_heads = num_heads_;
    attention.head_width = output.width / num_heads_;
    attention.output = output.first_row(run) + row * output.stride;
    const bool wanted = wants_heads(run);
    if (run.observer != nullptr || wanted) {
      attention.probabilities = reinterpret_cast<float*>(scratch + kernel_scratch_bytes(source.length, num_heads_));
    }
    kernels::cross_attention(attention, reinterpret_cast<float*>(scratch));
    if (run.observer != nullptr) {
      run.observer->attention(output.name, row, attention.probabilities, num_heads_, source.length, source.length);
    }
    if (wanted) add_heads(run, attention.probabilities, source.length, run.attention[row]);
  }

  bool wants_heads(const RunContext& run) const {
    if (run.attention == nullptr) return false;
    const uint8_t* heads = run.attention_heads + first_head_;
    return std::any_of(heads, heads + num_heads_, [](uint8_t wanted) { return wanted != 0; });
  }

  void add_heads(const RunContext& run, const float* probabilities, size_t length, float* sums) const {
    for (size_t head = 0; head < num_heads_; ++head) {
      if (run.attention_heads[first_head_ + head] == 0) continue;
      for (size_t i = 0; i < length; ++i) sums[i] += probabilities[head * length + i];
    }
  }

  Bindings bindings_;
  const float* keys_;
  const float* values_;
  size_t state_stride_;
  size_t num_heads_;
  size_t first_head_;  // of the heads of all cross-attentions
};

}  // namespace

extern const OpDefinition kCrossAttentionDefinition;
const OpDefinition kCrossAttentionDefinition = {
    "CrossAttention", check, needs, prepare_nothing, create_simple<CrossAttention>, sizeof(CrossAttention)};

}  // namespace dragoman::ops
