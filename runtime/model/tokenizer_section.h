// A model file's tokenizer as the views that text::Tokenizer reads.
// Neighbours: ModelView finds the section and the tensors; text::Tokenizer::create checks what the arrays say.
#pragma once

#include "base/status.h"
#include "base/tokenizer_tables.h"
#include "model/model_view.h"

namespace dragoman::model {

// `tokenizer` is one of `model`'s. The views point into the file's bytes. kDamaged names the field whose tensor does
// not exist or has another type than the schema says; contents are not looked at. Constant time, no allocation.
Result<TokenizerTables> tokenizer_tables(const ModelView& model, const schema::Tokenizer& tokenizer);

}  // namespace dragoman::model
