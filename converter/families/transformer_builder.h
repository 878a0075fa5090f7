// From a described transformer to programs and stored weights.
// Neighbours: transformer.h describes it; graph/ and weights receive it.
#pragma once

#include "converter/families/family.h"
#include "converter/families/transformer.h"

namespace dragoman::converter {

// Builds encode, begin and step. `model` must outlive the writing of the file as its tensors do.
Result<NetworkFacts> build_transformer(FamilyContext& context, const Transformer& model);

}  // namespace dragoman::converter
