// CachedSelfAttention: each decoder row keeps its keys and values in the position cache, then attends to every position
// of its hypothesis.
#include "kernels/cached_attention.h"

#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

using Options = schema::CachedSelfAttention;

uint32_t key_value_heads(const Options& options) {
  return options.key_value_heads() == 0 ? options.num_heads() : options.key_value_heads();
}

Status check_heads(const NodeContext& node) {
  const Options& options = node.options<Options>();
  const uint32_t input_width = node.input(0).width, width = node.output().width, heads = options.num_heads();
  if (heads == 0 || width % heads != 0) {
    return refuse(node, "%u heads do not divide a width of %u", heads, width);
  }
  if (heads % key_value_heads(options) != 0) {
    return refuse(node, "%u key-value heads do not divide %u heads", key_value_heads(options), heads);
  }
  const uint64_t cached = uint64_t{2} * key_value_heads(options) * (width / heads);
  if (input_width != width + cached) {
    return refuse(node, "input width %u, expected queries, keys and values of %llu", input_width,
                  static_cast<unsigned long long>(width + cached));
  }
  if (options.state() >= node.model.num_states()) {
    return refuse(node, "state %u of %zu", options.state(), node.model.num_states());
  }
  const model::StateInfo state = node.model.state(options.state());
  if (state.kind != model::StateKind::kPositionCache || state.width != cached) {
    return refuse(node, "state '%.60s': expected a position cache of width %llu", state.name,
                  static_cast<unsigned long long>(cached));
  }
  return Status();
}

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  if (node.input(0).row_space != model::RowSpace::kHypothesis ||
      node.output().row_space != model::RowSpace::kHypothesis) {
    return refuse(node, "works on hypothesis rows only");
  }
  DRAGOMAN_RETURN_IF_ERROR(check_heads(node));
  const Options& options = node.options<Options>();
  if (options.relative_bias() == -1) return Status();
  DRAGOMAN_RETURN_IF_ERROR(expect_tensor(node, options.relative_bias(), {"relative bias", options.num_heads(), 0}));
  const size_t columns = node.model.tensor(static_cast<size_t>(options.relative_bias())).columns;
  return columns > 0 ? Status() : refuse(node, "relative bias has no columns");
}

NodeNeeds needs(const NodeContext& node, const Capacities& capacities) {
  NodeNeeds needs;
  needs.scratch_bytes =
      kernels::cached_attention_scratch_bytes(capacities.target_positions, node.options<Options>().num_heads());
  return needs;
}

class CachedSelfAttention final : public Operator {
 public:
  explicit CachedSelfAttention(const CreateContext& context)
      : bindings_(context.bindings), state_(context.bindings.states[context.node.options<Options>().state()]) {
    const Options& options = context.node.options<Options>();
    row_.type = state_.cache_type;
    row_.cache = state_.cache;
    row_.slots = state_.slots;
    row_.row_bytes = state_.row_bytes;
    row_.num_heads = options.num_heads();
    row_.key_value_heads = key_value_heads(options);
    row_.head_width = context.bindings.output.width / options.num_heads();
    if (options.relative_bias() == -1) return;
    const TensorView table = context.node.model.tensor(static_cast<size_t>(options.relative_bias()));
    row_.relative_bias = table.f32();
    row_.relative_columns = table.columns;
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
    const auto position = static_cast<size_t>(run.target_positions[row]);
    const auto slot = static_cast<size_t>(run.slots[row]);
    const float* queries = input.first_row(run) + row * input.stride;
    std::byte* own = state_.cache + (position * state_.slots + slot) * state_.row_bytes;
    kernels::store_cache_row(state_.cache_type, queries + output.width, state_.width / 2, own);
    kernels::CachedAttentionRow attention = row_;
    attention.ancestors = run.ancestors + slot * run.ancestors_stride;
    attention.length = position + 1;
    attention.query = queries;
    attention.output = output.first_row(run) + row * output.stride;
    kernels::cached_attention(attention, reinterpret_cast<float*>(bindings_.thread_scratch(thread)));
  }

  Bindings bindings_;
  StateMatrix state_;
  kernels::CachedAttentionRow row_;  // what all rows share
};

}  // namespace

extern const OpDefinition kCachedSelfAttentionDefinition;
const OpDefinition kCachedSelfAttentionDefinition = {
    "CachedSelfAttention",      check, needs, prepare_nothing, create_simple<CachedSelfAttention>,
    sizeof(CachedSelfAttention)};

}  // namespace dragoman::ops
