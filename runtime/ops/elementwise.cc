// Add and Mul: the sum and the product of two values, element by element.
#include "kernels/activation.h"
#include "ops/op.h"

namespace dragoman::ops {

namespace {

using Kernel = void (*)(const float* a, const float* b, size_t width, float* output);

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 2, 2, 1));
  return expect_same_shape(node);
}

template <Kernel kernel>
class Elementwise final : public Operator {
 public:
  explicit Elementwise(const CreateContext& context)
      : a_(context.bindings.inputs[0]), b_(context.bindings.inputs[1]), output_(context.bindings.output) {}

  void run(const RunContext& run) override {
    const float* a = a_.first_row(run);
    const float* b = b_.first_row(run);
    float* output = output_.first_row(run);
    for (size_t row = 0; row < output_.rows(run); ++row) {
      kernel(a + row * a_.stride, b + row * b_.stride, output_.width, output + row * output_.stride);
    }
  }

 private:
  Matrix a_;
  Matrix b_;
  Matrix output_;
};

using Add = Elementwise<kernels::add>;
using Mul = Elementwise<kernels::multiply>;

}  // namespace

extern const OpDefinition kAddDefinition;
const OpDefinition kAddDefinition = {"Add", check, needs_nothing, prepare_nothing, create_simple<Add>, sizeof(Add)};

extern const OpDefinition kMulDefinition;
const OpDefinition kMulDefinition = {"Mul", check, needs_nothing, prepare_nothing, create_simple<Mul>, sizeof(Mul)};

}  // namespace dragoman::ops
