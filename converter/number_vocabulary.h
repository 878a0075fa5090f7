// A stand-in vocabulary for models that come without one: ids are written as numbers.
// Neighbours: convert.cc stores it when it finds no vocabulary.
#pragma once

#include "converter/tokenizer_builder.h"

namespace dragoman::converter {

// The word "17" is id 17, words are separated by spaces. `end_id` is a control word; a word that is no id comes out as
// `unknown_id`, another id.
Result<TokenizerData> number_vocabulary(uint32_t num_ids, int32_t end_id, int32_t unknown_id);

}  // namespace dragoman::converter
