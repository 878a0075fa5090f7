// Marian / Bergamot students: transformer encoder, decoder of simpler simple recurrent units (Kim et al. 2019).
// Neighbours: registered in family.cc; marian_config and marian_tensors prepare its input.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_marian_ssru(const Source& source);
Result<NetworkFacts> build_marian_ssru(FamilyContext& context);

}  // namespace dragoman::converter
