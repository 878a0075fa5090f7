// PositionTable: adds the row of a table that belongs to each row's position in its sentence.
#include <algorithm>

#include "kernels/activation.h"
#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 1, 1, 1));
  DRAGOMAN_RETURN_IF_ERROR(expect_same_shape(node));
  const model::ValueInfo output = node.output();
  if (output.row_space != model::RowSpace::kSource && output.row_space != model::RowSpace::kHypothesis) {
    return refuse(node, "%s rows have no positions", model::row_space_name(output.row_space));
  }
  const bool source = output.row_space == model::RowSpace::kSource;
  const uint32_t positions = source ? node.model.max_source_positions() : node.model.max_target_positions();
  DRAGOMAN_RETURN_IF_ERROR(
      expect_tensor(node, node.options<schema::PositionTable>().table(), {"table", 0, output.width}));
  const size_t rows = node.model.tensor(node.options<schema::PositionTable>().table()).rows;
  if (positions == 0 || rows < positions) {
    return refuse(node, "table of %zu rows, but the graph allows %u positions", rows, positions);
  }
  return Status();
}

class PositionTable final : public Operator {
 public:
  explicit PositionTable(const CreateContext& context)
      : table_(context.node.model.tensor(context.node.options<schema::PositionTable>().table())),
        input_(context.bindings.inputs[0]),
        output_(context.bindings.output) {}

  void run(const RunContext& run) override {
    const int32_t* positions = output_.space == model::RowSpace::kSource ? run.source_positions : run.target_positions;
    const float* input = input_.first_row(run);
    float* output = output_.first_row(run);
    const int32_t last = static_cast<int32_t>(table_.rows) - 1;
    for (size_t row = 0; row < output_.rows(run); ++row) {
      const size_t position = static_cast<size_t>(std::clamp(positions[row], int32_t{0}, last));
      kernels::add(input + row * input_.stride, table_.f32() + position * table_.columns, output_.width,
                   output + row * output_.stride);
    }
  }

 private:
  TensorView table_;
  Matrix input_;
  Matrix output_;
};

}  // namespace

extern const OpDefinition kPositionTableDefinition;
const OpDefinition kPositionTableDefinition = {
    "PositionTable", check, needs_nothing, prepare_nothing, create_simple<PositionTable>, sizeof(PositionTable)};

}  // namespace dragoman::ops
