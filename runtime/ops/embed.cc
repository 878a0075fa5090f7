// Embed: token ids to rows of the embedding table.
#include "kernels/embed.h"

#include "ops/op.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

namespace {

Status check(const NodeContext& node) {
  DRAGOMAN_RETURN_IF_ERROR(expect_arity(node, 0, 0, 1));
  const model::ValueInfo output = node.output();
  const bool source = output.row_space == model::RowSpace::kSource;
  if (!source && output.row_space != model::RowSpace::kHypothesis) {
    return refuse(node, "%s rows have no ids", model::row_space_name(output.row_space));
  }
  const size_t vocabulary = source ? node.model.source_vocabulary() : node.model.target_vocabulary();
  return expect_tensor(node, node.options<schema::Embed>().table(), {"table", vocabulary, output.width, true});
}

class Embed final : public Operator {
 public:
  explicit Embed(const CreateContext& context)
      : table_(context.node.model.tensor(context.node.options<schema::Embed>().table())),
        scale_(context.node.options<schema::Embed>().scale()),
        output_(context.bindings.output) {}

  void run(const RunContext& run) override {
    kernels::EmbedOptions options;
    options.rows = output_.rows(run);
    options.width = output_.width;
    options.ids = output_.space == model::RowSpace::kSource ? run.source_ids : run.previous_ids;
    options.table_rows = table_.rows;
    switch (table_.type) {
      case ElementType::kI8:
        options.table_i8 = table_.i8();
        options.table_scales = table_.scales;
        break;
      case ElementType::kF16: options.table_f16 = table_.f16(); break;
      case ElementType::kI4: options.table_i4 = {table_.i4(), table_.block_scales}; break;
      default: options.table_f32 = table_.f32(); break;
    }
    options.multiplier = scale_;
    options.output = output_.first_row(run);
    options.output_stride = output_.stride;
    kernels::embed_rows(options);
  }

 private:
  TensorView table_;
  float scale_;
  Matrix output_;
};

}  // namespace

extern const OpDefinition kEmbedDefinition;
const OpDefinition kEmbedDefinition = {"Embed",      check, needs_nothing, prepare_nothing, create_simple<Embed>,
                                       sizeof(Embed)};

}  // namespace dragoman::ops
