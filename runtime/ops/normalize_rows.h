// What LayerNorm and RmsNorm share: rows of x, or of x + residual, through a normalizing kernel, as floats, int8 rows
// or both. Neighbours: ops/layer_norm and ops/rms_norm say which kernel and tensors.
#pragma once

#include "kernels/normalize.h"
#include "ops/op.h"

namespace dragoman::ops {

// Refuses other than one or two inputs of the output's shape, an epsilon that is not a positive number, and a scale
// that is not F32 [1, width].
Status check_normalize(const NodeContext& node, float epsilon, uint32_t scale);

NodeNeeds normalize_needs(const NodeContext& node, const Capacities& capacities);

class NormalizeRows : public Operator {
 public:
  struct Spec {
    void (*kernel)(const kernels::NormalizeOptions&) = nullptr;
    const float* scale = nullptr;  // [width]
    const float* bias = nullptr;   // [width] or null
    float epsilon = 0;
  };

  NormalizeRows(const CreateContext& context, const Spec& spec)
      : bindings_(context.bindings), spec_(spec), has_residual_(context.node.node.inputs.size() == 2) {}
  void run(const RunContext& run) override;

 private:
  void run_block(const RunContext& run, size_t begin, size_t end, size_t thread) const;

  Bindings bindings_;
  Spec spec_;
  bool has_residual_;
};

}  // namespace dragoman::ops
