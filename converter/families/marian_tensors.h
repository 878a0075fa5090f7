// The trained tensors of a Marian transformer, found by name and checked for shape.
// Neighbours: TensorReader finds them, transformer_builder builds the graph from them.
#pragma once

#include "converter/families/family.h"
#include "converter/families/marian_config.h"
#include "converter/families/transformer.h"

namespace dragoman::converter {

// Finds every tensor of `config`; what is missing, misshapen or left over goes to the context's problems. Only when
// there are none is the result complete.
Transformer read_marian_tensors(FamilyContext& context, const MarianConfig& config);

}  // namespace dragoman::converter
