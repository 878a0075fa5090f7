// Logits: scores of the allowed target ids of each hypothesis, reduced at once to the best ones and the log of the sum.
#include "kernels/logits.h"

#include <algorithm>

#include "base/buffer_size.h"
#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

bool quantizes(const NodeContext& node) {
  return node.compute == Compute::kInt8 &&
         node.model.tensor(node.options<schema::Logits>().weight()).type == ElementType::kI8;
}

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 0));
  const schema::Logits& options = node.options<schema::Logits>();
  const model::ValueInfo input = node.input(0);
  if (input.row_space != model::RowSpace::kHypothesis) return refuse(node, "works on hypothesis rows only");
  const size_t vocabulary = node.model.target_vocabulary();
  DRAGOMAN_RETURN_IF_ERROR(expect_tensor(node, options.weight(), {"weight", vocabulary, input.width, true}));
  const TensorView weight = node.model.tensor(options.weight());
  if (weight.type == ElementType::kI8 && weight.row_sums == nullptr) {
    return refuse(node, "weight '%.60s' has no row sums", weight.name);
  }
  if (options.bias() == -1) return Status();
  return expect_tensor(node, options.bias(), {"bias", 1, vocabulary});
}

// Scratch: the rows, then the kernel's own.
size_t rows_bytes(size_t rows) { return align_up(saturating_product(rows, sizeof(kernels::LogitsRow))); }

NodeNeeds needs(const NodeContext& node, const Capacities& capacities) {
  NodeNeeds needs;
  needs.quantized_input = quantizes(node);
  needs.scratch_bytes = rows_bytes(capacities.hypothesis_rows);
  if (needs.quantized_input) {
    needs.scratch_bytes = saturating_sum(
        needs.scratch_bytes, kernels::logits_scratch_bytes(node.input(0).width, capacities.hypothesis_rows));
  }
  return needs;
}

class Logits final : public Operator {
 public:
  explicit Logits(const CreateContext& context) : bindings_(context.bindings) {
    const schema::Logits& options = context.node.options<schema::Logits>();
    const TensorView weight = context.node.model.tensor(options.weight());
    weights_.vocabulary = std::min<size_t>(weight.rows, context.node.model.generation().num_token_ids);
    weights_.width = weight.columns;
    switch (weight.type) {
      case ElementType::kI8:
        weights_.i8 = weight.i8();
        weights_.scales = weight.scales;
        weights_.row_sums = weight.row_sums;
        break;
      case ElementType::kF16: weights_.f16 = weight.f16(); break;
      case ElementType::kI4: weights_.i4 = {weight.i4(), weight.block_scales}; break;
      default: weights_.f32 = weight.f32(); break;
    }
    if (options.bias() != -1) weights_.bias = context.node.model.tensor(static_cast<size_t>(options.bias())).f32();
  }

  void run(const RunContext& run) override {
    const size_t threads = run.threads->num_threads();
    const size_t block = (run.hypothesis_rows + threads - 1) / threads;
    for_row_blocks(run, run.hypothesis_rows, block > 0 ? block : 1,
                   [&](size_t begin, size_t end, size_t thread) { run_block(run, begin, end, thread); });
  }

 private:
  void run_block(const RunContext& run, size_t begin, size_t end, size_t thread) const {
    const Matrix& input = bindings_.inputs[0];
    auto* rows = reinterpret_cast<kernels::LogitsRow*>(bindings_.thread_scratch(thread));
    for (size_t row = begin; row < end; ++row) {
      kernels::LogitsRow& logits = *new (rows + (row - begin)) kernels::LogitsRow();
      if (input.i8 != nullptr) {
        logits.i8 = input.i8 + row * input.width;
        logits.quantization = input.quantization[row];
      } else {
        logits.f32 = input.first_row(run) + row * input.stride;
      }
      logits.allowed = run.allowed[row].ids;
      logits.num_allowed = run.allowed[row].count;
      const LogitsRequest& request = run.logits[row];
      logits.suppressed = run.suppressed;
      logits.num_suppressed = request.suppress ? run.num_suppressed : 0;
      logits.sum_suppressed = run.sum_suppressed;
      logits.banned = request.banned;
      logits.logits = request.logits;
    }
    const size_t used = rows_bytes(end - begin);
    const std::span<std::byte> rest(bindings_.thread_scratch(thread) + used, bindings_.scratch_stride - used);
    kernels::logits_top_k(weights_, rows, end - begin, run.top_k, run.top + begin, rest);
  }

  Bindings bindings_;
  kernels::LogitsWeights weights_;
};

}  // namespace

extern const OpDefinition kLogitsDefinition;
const OpDefinition kLogitsDefinition = {"Logits", check, needs, prepare_nothing, create_simple<Logits>, sizeof(Logits)};

}  // namespace dragoman::ops
