// Arrays of a container as tensors of a source.
// Neighbours: formats/ read the arrays, the front ends collect the tensors.
#pragma once

#include <vector>

#include "converter/formats/stored_array.h"
#include "converter/frontends/source.h"

namespace dragoman::converter {

// Appends the arrays to `source`, sorted with what it holds already. Two dimensions that lie swapped stay where they
// are; other strides are copied into order. Owners move to source.storage.
void add_arrays(std::vector<StoredArray> arrays, Source* source);

}  // namespace dragoman::converter
