// The tokenizer of the tiny model: unigram, with a piece for each letter it knows.
// Neighbours: see model_builder.h.
#pragma once

#include <string>
#include <vector>

#include "tests/support/model_builder.h"

namespace dragoman::test {

// "</s>", "<unk>", the space, "a" to "t", ".".
std::vector<std::string> tiny_pieces();

// Adds it to the model, as the source's and the target's.
void add_tiny_tokenizer(ModelBuilder& b);

}  // namespace dragoman::test
