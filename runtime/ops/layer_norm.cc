// LayerNorm: normalizes each row of x, or of x + residual, and writes int8 rows beside or instead of floats when later
// nodes want them.
#include "ops/normalize_rows.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  const schema::LayerNorm& options = node.options<schema::LayerNorm>();
  DRAGOMAN_RETURN_IF_ERROR(check_normalize(node, options.epsilon(), options.scale()));
  return expect_tensor(node, options.bias(), {"bias", 1, node.output().width});
}

class LayerNorm final : public NormalizeRows {
 public:
  explicit LayerNorm(const CreateContext& context) : NormalizeRows(context, spec(context.node)) {}

 private:
  static Spec spec(const NodeContext& node) {
    const schema::LayerNorm& options = node.options<schema::LayerNorm>();
    return {kernels::layer_norm, node.model.tensor(options.scale()).f32(), node.model.tensor(options.bias()).f32(),
            options.epsilon()};
  }
};

}  // namespace

extern const OpDefinition kLayerNormDefinition;
const OpDefinition kLayerNormDefinition = {
    "LayerNorm", check, normalize_needs, prepare_nothing, create_simple<LayerNorm>, sizeof(LayerNorm)};

}  // namespace dragoman::ops
