// T5, mT5 and UMT5 models in Hugging Face's form, MADLAD and Flan-T5 among them.
// Neighbours: registered in family.cc.
#pragma once

#include "converter/families/family.h"

namespace dragoman::converter {

bool accepts_t5(const Source& source);
bool accepts_mt5(const Source& source);
bool accepts_umt5(const Source& source);
// Serves T5 and mT5.
Result<NetworkFacts> build_t5(FamilyContext& context);
Result<NetworkFacts> build_umt5(FamilyContext& context);

}  // namespace dragoman::converter
