// M2M100, NLLB and SMaLL-100 models in Hugging Face's form.
// Neighbours: registered in family.cc.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_m2m100(const Source& source);
Result<NetworkFacts> build_m2m100(FamilyContext& context);

}  // namespace dragoman::converter
