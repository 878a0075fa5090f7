// GatedLinearUnit: the first half of a value through an activation, times its second half (Shazeer 2020).
#include "ops/activation.h"
#include "ops/op.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  const model::ValueInfo input = node.input(0);
  const model::ValueInfo output = node.output();
  const schema::Activation activation = node.options<schema::GatedLinearUnit>().activation();
  if (!known_activation(activation) || activation == schema::Activation::None) {
    return refuse(node, "unknown activation %d", static_cast<int>(activation));
  }
  if (input.row_space != output.row_space) return refuse(node, "input and output are of different row spaces");
  if (input.width != uint64_t{2} * output.width) {
    return refuse(node, "input width %u, expected 2 x %u", input.width, output.width);
  }
  return Status();
}

class GatedLinearUnit final : public Operator {
 public:
  explicit GatedLinearUnit(const CreateContext& context)
      : activation_(kernel_activation(context.node.options<schema::GatedLinearUnit>().activation())),
        input_(context.bindings.inputs[0]),
        output_(context.bindings.output) {}

  void run(const RunContext& run) override {
    const float* input = input_.first_row(run);
    float* output = output_.first_row(run);
    const size_t width = output_.width;
    for_row_blocks(run, output_.rows(run), 8, [&](size_t begin, size_t end, size_t) {
      for (size_t row = begin; row < end; ++row) {
        const float* x = input + row * input_.stride;
        float* y = output + row * output_.stride;
        kernels::activate(activation_, x, width, y);
        kernels::multiply(y, x + width, width, y);
      }
    });
  }

 private:
  kernels::Activation activation_;
  Matrix input_;
  Matrix output_;
};

}  // namespace

extern const OpDefinition kGatedLinearUnitDefinition;
const OpDefinition kGatedLinearUnitDefinition = {
    "GatedLinearUnit", check, needs_nothing, prepare_nothing, create_simple<GatedLinearUnit>, sizeof(GatedLinearUnit)};

}  // namespace dragoman::ops
