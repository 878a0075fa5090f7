// Activate: an elementwise function of a value.
#include "ops/activation.h"
#include "ops/op.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  const schema::Activation activation = node.options<schema::Activate>().activation();
  if (!known_activation(activation) || activation == schema::Activation::None) {
    return refuse(node, "unknown activation %d", static_cast<int>(activation));
  }
  return expect_same_shape(node);
}

class Activate final : public Operator {
 public:
  explicit Activate(const CreateContext& context)
      : activation_(kernel_activation(context.node.options<schema::Activate>().activation())),
        input_(context.bindings.inputs[0]),
        output_(context.bindings.output) {}

  void run(const RunContext& run) override {
    const float* input = input_.first_row(run);
    float* output = output_.first_row(run);
    for (size_t row = 0; row < output_.rows(run); ++row) {
      kernels::activate(activation_, input + row * input_.stride, output_.width, output + row * output_.stride);
    }
  }

 private:
  kernels::Activation activation_;
  Matrix input_;
  Matrix output_;
};

}  // namespace

extern const OpDefinition kActivateDefinition;
const OpDefinition kActivateDefinition = {
    "Activate", check, needs_nothing, prepare_nothing, create_simple<Activate>, sizeof(Activate)};

}  // namespace dragoman::ops
