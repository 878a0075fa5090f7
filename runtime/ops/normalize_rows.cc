#include "ops/normalize_rows.h"

#include <cmath>

namespace dragoman::ops {

Status check_normalize(const NodeContext& node, float epsilon, uint32_t scale) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 2, 1));
  DRAGOMAN_RETURN_IF_ERROR(expect_same_shape(node));
  if (!std::isfinite(epsilon) || epsilon <= 0.0f) {
    return refuse(node, "epsilon %g, expected a positive number", static_cast<double>(epsilon));
  }
  return expect_tensor(node, scale, {"scale", 1, node.output().width});
}

NodeNeeds normalize_needs(const NodeContext& node, const Capacities&) {
  NodeNeeds needs;
  needs.emits_quantized = true;
  needs.scratch_bytes = node.output().width * sizeof(float);
  return needs;
}

void NormalizeRows::run(const RunContext& run) {
  for_row_blocks(run, bindings_.output.rows(run), 8,
                 [&](size_t begin, size_t end, size_t thread) { run_block(run, begin, end, thread); });
}

void NormalizeRows::run_block(const RunContext& run, size_t begin, size_t end, size_t thread) const {
  const Matrix& input = bindings_.inputs[0];
  const Matrix& residual = bindings_.inputs[1];
  const Matrix& output = bindings_.output;
  kernels::NormalizeOptions options;
  options.rows = end - begin;
  options.width = output.width;
  options.epsilon = spec_.epsilon;
  options.input = input.first_row(run) + begin * input.stride;
  options.input_stride = input.stride;
  if (has_residual_) {
    options.residual = residual.first_row(run) + begin * residual.stride;
    options.residual_stride = residual.stride;
  }
  options.scale = spec_.scale;
  options.bias = spec_.bias;
  if (output.f32 != nullptr) {
    options.output = output.first_row(run) + begin * output.stride;
    options.output_stride = output.stride;
  }
  if (output.i8 != nullptr) {
    options.quantized = output.i8 + begin * output.width;
    options.quantization = output.quantization + begin;
  }
  options.scratch = reinterpret_cast<float*>(bindings_.thread_scratch(thread));
  spec_.kernel(options);
}

}  // namespace dragoman::ops
