// Marian and Bergamot models: transformer encoder, decoder with self-attention or simpler simple recurrent units.
// Neighbours: registered in family.cc; marian_config and marian_tensors read, transformer_builder builds.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_marian_ssru(const Source& source);
bool accepts_marian(const Source& source);
// Serves both.
Result<NetworkFacts> build_marian(FamilyContext& context);

}  // namespace dragoman::converter
