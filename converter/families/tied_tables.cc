// Rules for aliases of embedding tables.
// Neighbours: tied_tables.h.
#include "converter/families/tied_tables.h"

#include <initializer_list>

namespace dragoman::converter {
namespace {

const SourceTensor* first_of(std::initializer_list<const SourceTensor*> candidates) {
  for (const SourceTensor* candidate : candidates) {
    if (candidate != nullptr) return candidate;
  }
  return nullptr;
}

}  // namespace

void find_tables(FamilyContext& context, TensorReader& reader, const TableNames& names, const TableShape& shape,
                 Transformer* model) {
  const uint64_t source_rows = shape.source_vocabulary, target_rows = shape.target_vocabulary;
  const SourceTensor* shared = reader.optional_matrix(names.shared, source_rows, shape.width);
  const SourceTensor* encoder = reader.optional_matrix(names.encoder, source_rows, shape.width);
  const SourceTensor* decoder = reader.optional_matrix(names.decoder, target_rows, shape.width);
  const SourceTensor* output = reader.optional_matrix(names.output, target_rows, shape.width);
  const SourceTensor* tied = shape.tied_output ? output : nullptr;
  if (shape.one_input_table) {
    model->encoder.table = first_of({encoder, shared, decoder, tied});
    model->decoder.table = first_of({decoder, shared, encoder, tied});
  } else {
    model->encoder.table = first_of({encoder, shared});
    model->decoder.table = first_of({decoder, tied});
  }
  if (model->encoder.table == nullptr || model->decoder.table == nullptr) {
    context.problems.add("tensor '" + (model->encoder.table == nullptr ? names.encoder : names.decoder) +
                         "' is missing, under this or any other name");
    return;
  }
  if (same_tensor(*model->encoder.table, *model->decoder.table)) {
    model->decoder.table = model->encoder.table;
  } else if (shape.one_input_table) {
    context.report.notes.push_back("'" + model->encoder.table->name + "' and '" + model->decoder.table->name +
                                   "' differ although the options call them one; each is kept");
  }
  if (output == nullptr && !shape.tied_output) {
    context.problems.add("tensor '" + names.output + "' is missing");
  } else if (output != nullptr && !same_tensor(*output, *model->decoder.table)) {
    model->output = output;
    model->output_is_table = true;
    if (shape.tied_output) {
      context.report.notes.push_back("'" + names.output + "' differs from '" + model->decoder.table->name +
                                     "' although the options call them one; each is kept");
    }
  }
}

const SourceTensor* find_output_bias(TensorReader& reader, const std::string& name, uint64_t length) {
  const SourceTensor* bias = reader.optional_vector(name, length);
  if (bias == nullptr) return nullptr;
  for (uint64_t i = 0; i < length; ++i) {
    if (source_element(*bias, i) != 0.0f) return bias;
  }
  return nullptr;
}

}  // namespace dragoman::converter
