// BART and mBART models in Hugging Face's form.
// Neighbours: registered in family.cc.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_bart(const Source& source);
bool accepts_mbart(const Source& source);
Result<NetworkFacts> build_bart(FamilyContext& context);
Result<NetworkFacts> build_mbart(FamilyContext& context);

}  // namespace dragoman::converter
