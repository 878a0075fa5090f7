// SelfAttention: every token of a sentence attends to every token of the same sentence.
#include "kernels/attention.h"
#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  const model::ValueInfo input = node.input(0);
  const model::ValueInfo output = node.output();
  const uint32_t heads = node.options<schema::SelfAttention>().num_heads();
  if (input.row_space != model::RowSpace::kSource || output.row_space != model::RowSpace::kSource) {
    return refuse(node, "works on source rows only");
  }
  if (input.width != uint64_t{3} * output.width) {
    return refuse(node, "input width %u, expected 3 x %u", input.width, output.width);
  }
  if (heads == 0 || output.width % heads != 0) {
    return refuse(node, "%u heads do not divide a width of %u", heads, output.width);
  }
  const int32_t bias = node.options<schema::SelfAttention>().relative_bias();
  if (bias == -1) return Status();
  DRAGOMAN_RETURN_IF_ERROR(expect_tensor(node, bias, {"relative bias", heads, 0}));
  const size_t columns = node.model.tensor(static_cast<size_t>(bias)).columns;
  if (columns % 2 == 0) return refuse(node, "relative bias: found %zu columns, expected an odd number", columns);
  return Status();
}

NodeNeeds needs(const NodeContext& node, const Capacities& capacities) {
  const size_t heads = node.options<schema::SelfAttention>().num_heads();
  NodeNeeds needs;
  needs.scratch_bytes = kernels::attention_scratch_bytes(capacities.max_source_length, node.output().width / heads);
  return needs;
}

class SelfAttention final : public Operator {
 public:
  explicit SelfAttention(const CreateContext& context)
      : bindings_(context.bindings), num_heads_(context.node.options<schema::SelfAttention>().num_heads()) {
    const int32_t bias = context.node.options<schema::SelfAttention>().relative_bias();
    if (bias == -1) return;
    const TensorView table = context.node.model.tensor(static_cast<size_t>(bias));
    relative_bias_ = table.f32();
    max_distance_ = table.columns / 2;
  }

  void run(const RunContext& run) override {
    if (run.threads->num_threads() == 1) {
      for (size_t segment = 0; segment < run.num_segments; ++segment) run_heads(run, segment, 0, num_heads_, 0);
      return;
    }
    run.threads->for_each(run.num_segments * num_heads_, [&](size_t i, size_t thread) {
      const size_t head = i % num_heads_;
      run_heads(run, i / num_heads_, head, head + 1, thread);
    });
  }

 private:
  void run_heads(const RunContext& run, size_t segment, size_t head_begin, size_t head_end, size_t thread) const {
    const Matrix& input = bindings_.inputs[0];
    const Matrix& output = bindings_.output;
    const size_t begin = run.segment_begins[segment];
    kernels::AttentionSegment attention;
    attention.qkv = input.first_row(run) + begin * input.stride;
    attention.qkv_stride = input.stride;
    attention.output = output.first_row(run) + begin * output.stride;
    attention.output_stride = output.stride;
    attention.length = run.segment_begins[segment + 1] - begin;
    attention.num_heads = num_heads_;
    attention.head_width = output.width / num_heads_;
    attention.head_begin = head_begin;
    attention.head_end = head_end;
    attention.relative_bias = relative_bias_;
    attention.max_distance = max_distance_;
    kernels::attention_segment(attention, reinterpret_cast<float*>(bindings_.thread_scratch(thread)));
  }

  Bindings bindings_;
  size_t num_heads_;
  const float* relative_bias_ = nullptr;  // [num_heads, 2 * max_distance + 1] or null
  size_t max_distance_ = 0;
};

}  // namespace

extern const OpDefinition kSelfAttentionDefinition;
const OpDefinition kSelfAttentionDefinition = {
    "SelfAttention", check, needs, prepare_nothing, create_simple<SelfAttention>, sizeof(SelfAttention)};

}  // namespace dragoman::ops
