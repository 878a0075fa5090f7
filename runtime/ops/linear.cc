// Linear: rows times a weight matrix, plus bias, through an activation.
#include <optional>

#include "kernels/matmul.h"
#include "ops/activation.h"
#include "ops/op.h"

namespace dragoman::ops {

namespace {

bool quantizes(const NodeContext& node) {
  const TensorView weight = node.model.tensor(node.options<schema::Linear>().weight());
  return node.compute == Compute::kInt8 && (weight.type == ElementType::kI8 || weight.type == ElementType::kI4);
}

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  const schema::Linear& options = node.options<schema::Linear>();
  const model::ValueInfo input = node.input(0);
  const model::ValueInfo output = node.output();
  if (input.row_space != output.row_space) return refuse(node, "input and output are of different row spaces");
  if (!known_activation(options.activation())) {
    return refuse(node, "unknown activation %d", static_cast<int>(options.activation()));
  }
  DRAGOMAN_RETURN_IF_ERROR(expect_tensor(node, options.weight(), {"weight", output.width, input.width, true}));
  if (options.bias() == -1) return Status();
  return expect_tensor(node, options.bias(), {"bias", 1, output.width});
}

NodeNeeds needs(const NodeContext& node, const Capacities&) {
  NodeNeeds needs;
  needs.quantized_input = quantizes(node);
  return needs;
}

kernels::MatmulSpec matmul_spec(const NodeContext& node) {
  const schema::Linear& options = node.options<schema::Linear>();
  const TensorView weight = node.model.tensor(options.weight());
  kernels::MatmulSpec spec;
  spec.input = quantizes(node) ? kernels::MatmulInput::kQuantizedRows : kernels::MatmulInput::kFloatRows;
  spec.weight_type = weight.type;
  spec.weights = weight.data;
  spec.scales = weight.scales;
  spec.block_scales = weight.block_scales;
  spec.bias = options.bias() == -1 ? nullptr : node.model.tensor(static_cast<size_t>(options.bias())).f32();
  spec.inputs = weight.columns;
  spec.outputs = weight.rows;
  if (options.activation() == schema::Activation::Relu) spec.output_min = 0.0f;
  return spec;
}

Result<size_t> prepare(const NodeContext& node, kernels::PackedWeights& weights) {
  return kernels::Matmul::prepare(matmul_spec(node), weights);
}

class Linear final : public Operator {
 public:
  Linear(const CreateContext& context, kernels::Matmul matmul)
      : matmul_(std::move(matmul)), input_(context.bindings.inputs[0]), output_(context.bindings.output) {
    const schema::Activation activation = context.node.options<schema::Linear>().activation();
    if (activation != schema::Activation::None && activation != schema::Activation::Relu) {
      activation_ = kernel_activation(activation);
    }
  }

  void run(const RunContext& run) override {
    const size_t rows = output_.rows(run);
    float* output = output_.first_row(run);
    matmul_.run(input_.i8 != nullptr ? kernels::MatmulRows(input_.i8, input_.quantization, rows)
                                     : kernels::MatmulRows(input_.first_row(run), rows),
                output, *run.threads);
    if (!activation_.has_value()) return;
    for_row_blocks(run, rows, 16, [&](size_t begin, size_t end, size_t) {
      for (size_t row = begin; row < end; ++row) {
        float* values = output + row * output_.stride;
        kernels::activate(*activation_, values, output_.width, values);
      }
    });
  }

 private:
  kernels::Matmul matmul_;
  std::optional<kernels::Activation> activation_;  // what the product cannot fuse
  Matrix input_;
  Matrix output_;
};

Result<Operator*> create(const CreateContext& context, void* place) {
  kernels::MatmulSpec spec = matmul_spec(context.node);
  if (spec.input == kernels::MatmulInput::kFloatRows) spec.input_stride = context.bindings.inputs[0].stride;
  spec.output_stride = context.bindings.output.stride;
  kernels::Matmul matmul;
  DRAGOMAN_RETURN_IF_ERROR(kernels::Matmul::create(spec, context.weights, context.account, &matmul));
  return static_cast<Operator*>(new (place) Linear(context, std::move(matmul)));
}

}  // namespace

extern const OpDefinition kLinearDefinition;
const OpDefinition kLinearDefinition = {"Linear", check, needs, prepare, create, sizeof(Linear)};

}  // namespace dragoman::ops
