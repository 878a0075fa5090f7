// Which stored tensors serve as source table, target table and output weight when they may be one under several names.
// Neighbours: the Hugging Face families ask, TensorReader finds.
#pragma once

#include <string>

#include "converter/families/family.h"
#include "converter/families/tensor_reader.h"
#include "converter/families/transformer.h"

namespace dragoman::converter {

struct TableNames {
  std::string shared, encoder, decoder, output;
};

struct TableShape {
  uint32_t source_vocabulary = 0, target_vocabulary = 0;
  uint32_t width = 0;
  bool one_input_table = true;  // source and target inputs share a table
  bool tied_output = true;      // the output weight is the target table
};

// Sets encoder.table, decoder.table and output of `model`. A tensor may be stored under any of its names; stored tables
// that differ although they are said to be one are all kept, with a note in the report. What is missing becomes a
// problem.
void find_tables(FamilyContext& context, TensorReader& reader, const TableNames& names, const TableShape& shape,
                 Transformer* model);

// The logits' bias, or null when it is not stored or all zeros.
const SourceTensor* find_output_bias(TensorReader& reader, const std::string& name, uint64_t length);

}  // namespace dragoman::converter
