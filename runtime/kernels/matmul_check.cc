// Refuses what would make a kernel overflow, read elsewhere or give NaN.
// Neighbours: see matmul_check.h.
#include "kernels/matmul_check.h"

#include <cmath>

namespace dragoman::kernels {
namespace {

Status check_sizes(const MatmulSpec& spec) {
  if (spec.weights == nullptr || spec.inputs == 0 || spec.outputs == 0) {
    return Status::error(Code::kInvalidArgument, "matrix product: found weights [%zu, %zu], expected at least [1, 1]",
                         spec.outputs, spec.inputs);
  }
  // Keeps every byte count of the packed matrix far from overflow.
  if (spec.inputs > SIZE_MAX / 64 / spec.outputs) {
    return Status::error(Code::kInvalidArgument, "matrix product: weights [%zu, %zu] are too large", spec.outputs,
                         spec.inputs);
  }
  if (spec.input == MatmulInput::kQuantizedRows && spec.inputs > kMaxQuantizedInputs) {
    return Status::error(Code::kUnsupported, "matrix product: found %zu inputs, expected at most %zu for int8 rows",
                         spec.inputs, kMaxQuantizedInputs);
  }
  if (spec.input_step() < spec.inputs || spec.output_step() < spec.outputs) {
    return Status::error(Code::kInvalidArgument,
                         "matrix product: row strides %zu and %zu are below the widths %zu and %zu", spec.input_stride,
                         spec.output_stride, spec.inputs, spec.outputs);
  }
  return Status();
}

}  // namespace

Status check_matmul_shape(const MatmulSpec& spec) {
  DRAGOMAN_RETURN_IF_ERROR(check_sizes(spec));
  const bool int8_rows = spec.input == MatmulInput::kQuantizedRows;
  const bool int8_weights = spec.weight_type == ElementType::kI8;
  const bool int4_weights = spec.weight_type == ElementType::kI4;
  const bool float_weights = spec.weight_type == ElementType::kF32 || spec.weight_type == ElementType::kF16;
  if (!int8_weights && !int4_weights && (int8_rows || !float_weights)) {
    return Status::error(Code::kUnsupported, "matrix product: found weights of type %d, expected int8%s",
                         static_cast<int>(spec.weight_type),
                         int8_rows ? " or int4 for int8 rows" : ", int4, f16 or f32");
  }
  if (int8_weights != (spec.scales != nullptr) || int4_weights != (spec.block_scales != nullptr)) {
    return Status::error(
        Code::kInvalidArgument,
        "matrix product: int8 weights need a scale per output, int4 weights one per block, floats none");
  }
  if (int4_weights && spec.inputs % kInt4Block != 0) {
    return Status::error(Code::kUnsupported, "matrix product: found %zu inputs, expected a multiple of %zu for int4",
                         spec.inputs, kInt4Block);
  }
  if (!(spec.output_min < spec.output_max)) {
    return Status::error(Code::kInvalidArgument, "matrix product: found an output range of [%g, %g]",
                         static_cast<double>(spec.output_min), static_cast<double>(spec.output_max));
  }
  return Status();
}

Status check_matmul_numbers(const MatmulSpec& spec) {
  for (size_t o = 0; spec.scales != nullptr && o < spec.outputs; ++o) {
    if (!(spec.scales[o] > 0.0F) || !std::isnormal(spec.scales[o])) {
      return Status::error(Code::kInvalidArgument, "matrix product: scale %zu is %g, expected a positive normal number",
                           o, static_cast<double>(spec.scales[o]));
    }
  }
  const size_t num_blocks = spec.block_scales != nullptr ? spec.outputs * (spec.inputs / kInt4Block) : 0;
  for (size_t i = 0; i < num_blocks; ++i) {
    const float scale = float_from_bfloat16(spec.block_scales[i]);
    if (!(scale > 0.0F) || !std::isnormal(scale)) {
      return Status::error(Code::kInvalidArgument,
                           "matrix product: block scale %zu is %g, expected a positive normal number", i,
                           static_cast<double>(scale));
    }
  }
  const bool divides = spec.input == MatmulInput::kFloatRows && spec.scales != nullptr;
  for (size_t o = 0; spec.bias != nullptr && o < spec.outputs; ++o) {
    if (!std::isfinite(divides ? spec.bias[o] / spec.scales[o] : spec.bias[o])) {
      return Status::error(Code::kInvalidArgument, "matrix product: bias %zu is %g, %s", o,
                           static_cast<double>(spec.bias[o]),
                           divides ? "too large for its scale" : "expected a finite number");
    }
  }
  return Status();
}

}  // namespace dragoman::kernels
