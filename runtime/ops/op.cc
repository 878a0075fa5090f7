#include "ops/op.h"

#include <cstdarg>
#include <cstdio>

namespace dragoman::ops {

#define DRAGOMAN_OP(Name, kind) extern const OpDefinition k##Name##Definition;
#include "ops/op_list.inc"
#undef DRAGOMAN_OP

const OpDefinition* find_op(model::OpKind kind) {
  switch (kind) {
#define DRAGOMAN_OP(Name, kind) \
  case model::OpKind::kind:     \
    return &k##Name##Definition;
#include "ops/op_list.inc"
#undef DRAGOMAN_OP
    default: return nullptr;
  }
}

namespace {

// What a reader of the message can find in `inspect --graph`.
const char* node_name(const NodeContext& node) { return node.node.outputs.empty() ? "last node" : node.output().name; }

}  // namespace

Status refuse(const NodeContext& node, const char* format, ...) {
  char detail[Status::kMessageBytes];
  va_list args;
  va_start(args, format);
  std::vsnprintf(detail, sizeof(detail), format, args);
  va_end(args);
  return Status::error(Code::kDamaged, "%.64s: %s: %s", node_name(node), model::op_name(node.node.op), detail);
}

Status expect_arity(const NodeContext& node, size_t min_inputs, size_t max_inputs, size_t outputs) {
  const size_t found = node.node.inputs.size();
  if (found < min_inputs || found > max_inputs) {
    return refuse(node, "found %zu inputs, expected %zu to %zu", found, min_inputs, max_inputs);
  }
  if (node.node.outputs.size() != outputs) {
    return refuse(node, "found %zu outputs, expected %zu", node.node.outputs.size(), outputs);
  }
  return Status();
}

Status expect_same_shape(const NodeContext& node) {
  const model::ValueInfo output = node.output();
  for (size_t i = 0; i < node.node.inputs.size(); ++i) {
    const model::ValueInfo input = node.input(i);
    if (input.width != output.width || input.row_space != output.row_space) {
      return refuse(node, "input %zu has width %u of %s rows, expected %u of %s rows", i, input.width,
                    model::row_space_name(input.row_space), output.width, model::row_space_name(output.row_space));
    }
  }
  return Status();
}

Status expect_tensor(const NodeContext& node, int64_t index, const TensorExpectation& expected) {
  if (index < 0 || static_cast<uint64_t>(index) >= node.model.num_tensors()) {
    return refuse(node, "%s: tensor %lld of %zu", expected.role, static_cast<long long>(index),
                  node.model.num_tensors());
  }
  const TensorView tensor = node.model.tensor(static_cast<size_t>(index));
  const bool integer = tensor.type == ElementType::kI8 && expected.weight;
  const bool blocks = tensor.type == ElementType::kI4 && tensor.block_scales != nullptr && expected.weight;
  const bool half = tensor.type == ElementType::kF16 && expected.weight;
  if (tensor.type != ElementType::kF32 && !integer && !blocks && !half) {
    return refuse(node, "%s '%.60s': element type %d is not supported here", expected.role, tensor.name,
                  static_cast<int>(tensor.type));
  }
  if (integer && tensor.scales == nullptr) return refuse(node, "%s '%.60s' has no scales", expected.role, tensor.name);
  if ((expected.rows != 0 && tensor.rows != expected.rows) ||
      (expected.columns != 0 && tensor.columns != expected.columns)) {
    return refuse(node, "%s '%.60s': found [%zu, %zu], expected [%zu, %zu]", expected.role, tensor.name, tensor.rows,
                  tensor.columns, expected.rows, expected.columns);
  }
  return Status();
}

}  // namespace dragoman::ops
