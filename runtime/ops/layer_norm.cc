// LayerNorm: normalizes each row of x, or of x + residual, and writes int8 rows beside or instead of floats when later
// nodes want them.
#include <cmath>

#include "kernels/normalize.h"
#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 2, 1));
  DRAGOMAN_RETURN_IF_ERROR(expect_same_shape(node));
  const schema::LayerNorm& options = node.options<schema::LayerNorm>();
  if (!std::isfinite(options.epsilon()) || options.epsilon() <= 0.0f) {
    return refuse(node, "epsilon %g, expected a positive number", static_cast<double>(options.epsilon()));
  }
  const size_t width = node.output().width;
  DRAGOMAN_RETURN_IF_ERROR(expect_tensor(node, options.scale(), {"scale", 1, width}));
  return expect_tensor(node, options.bias(), {"bias", 1, width});
}

NodeNeeds needs(const NodeContext& node, const Capacities&) {
  NodeNeeds needs;
  needs.emits_quantized = true;
  needs.scratch_bytes = node.output().width * sizeof(float);
  return needs;
}

class LayerNorm final : public Operator {
 public:
  explicit LayerNorm(const CreateContext& context) : bindings_(context.bindings) {
    const schema::LayerNorm& options = context.node.options<schema::LayerNorm>();
    scale_ = context.node.model.tensor(options.scale()).f32();
    bias_ = context.node.model.tensor(options.bias()).f32();
    epsilon_ = options.epsilon();
    has_residual_ = context.node.node.inputs.size() == 2;
  }

  void run(const RunContext& run) override {
    for_row_blocks(run, bindings_.output.rows(run), 8,
                   [&](size_t begin, size_t end, size_t thread) { run_block(run, begin, end, thread); });
  }

 private:
  void run_block(const RunContext& run, size_t begin, size_t end, size_t thread) const {
    const Matrix& input = bindings_.inputs[0];
    const Matrix& residual = bindings_.inputs[1];
    const Matrix& output = bindings_.output;
    kernels::NormalizeOptions options;
    options.rows = end - begin;
    options.width = output.width;
    options.epsilon = epsilon_;
    options.input = input.first_row(run) + begin * input.stride;
    options.input_stride = input.stride;
    if (has_residual_) {
      options.residual = residual.first_row(run) + begin * residual.stride;
      options.residual_stride = residual.stride;
    }
    options.scale = scale_;
    options.bias = bias_;
    if (output.f32 != nullptr) {
      options.output = output.first_row(run) + begin * output.stride;
      options.output_stride = output.stride;
    }
    if (output.i8 != nullptr) {
      options.quantized = output.i8 + begin * output.width;
      options.quantization = output.quantization + begin;
    }
    options.scratch = reinterpret_cast<float*>(bindings_.thread_scratch(thread));
    kernels::layer_norm(options);
  }

  Bindings bindings_;
  const float* scale_;
  const float* bias_;
  float epsilon_;
  bool has_residual_;
};

}  // namespace

extern const OpDefinition kLayerNormDefinition;
const OpDefinition kLayerNormDefinition = {"LayerNorm",      check, needs, prepare_nothing, create_simple<LayerNorm>,
                                           sizeof(LayerNorm)};

}  // namespace dragoman::ops
