// Transformer models as CTranslate2 stores them.
// Neighbours: registered in family.cc.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_ctranslate2(const Source& source);
Result<NetworkFacts> build_ctranslate2(FamilyContext& context);

}  // namespace dragoman::converter
