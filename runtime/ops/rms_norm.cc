// RmsNorm: divides each row of x, or of x + residual, by its root mean square; int8 rows as LayerNorm.
#include "ops/normalize_rows.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  const schema::RmsNorm& options = node.options<schema::RmsNorm>();
  return check_normalize(node, options.epsilon(), options.scale());
}

class RmsNorm final : public NormalizeRows {
 public:
  explicit RmsNorm(const CreateContext& context) : NormalizeRows(context, spec(context.node)) {}

 private:
  static Spec spec(const NodeContext& node) {
    const schema::RmsNorm& options = node.options<schema::RmsNorm>();
    return {kernels::rms_norm, node.model.tensor(options.scale()).f32(), nullptr, options.epsilon()};
  }
};

}  // namespace

extern const OpDefinition kRmsNormDefinition;
const OpDefinition kRmsNormDefinition = {
    "RmsNorm", check, normalize_needs, prepare_nothing, create_simple<RmsNorm>, sizeof(RmsNorm)};

}  // namespace dragoman::ops
