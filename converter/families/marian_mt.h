// MarianMT models (OPUS-MT) in Hugging Face's form.
// Neighbours: registered in family.cc.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_marian_mt(const Source& source);
Result<NetworkFacts> build_marian_mt(FamilyContext& context);

}  // namespace dragoman::converter
