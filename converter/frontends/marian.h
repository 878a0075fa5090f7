// Marian and Bergamot models: container items and their model.yml become the neutral source.
// Neighbours: formats/marian_bin and npy read the items, families/marian gives the tensors meaning.
#pragma once

#include <string>

#include "converter/frontends/source.h"

namespace dragoman::converter {

// Reads a `.bin` or `.npz` model, told apart by the contents. Errors name the file and the item.
Result<Source> read_marian_source(const std::string& path);

}  // namespace dragoman::converter
