// The step that a plan inserts behind a node which cannot write int8 rows itself.
// Neighbours: graph/lowering inserts it; it is no operator of the schema.
#pragma once

#include "ops/op.h"

namespace dragoman::ops {

// Fills value.i8 and value.quantization from value.f32. Precondition: all three are bound.
class QuantizeRows final : public Operator {
 public:
  explicit QuantizeRows(const Matrix& value) : value_(value) {}
  void run(const RunContext& run) override;

 private:
  Matrix value_;
};

}  // namespace dragoman::ops
