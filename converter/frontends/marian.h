// Marian and Bergamot models: container items and their model.yml become the neutral source.
// Neighbours: formats/marian_bin reads the items, families/marian_ssru gives the tensors meaning.
#pragma once

#include <string>

#include "converter/frontends/source.h"

namespace dragoman::converter {

// Reads a `.bin` model. Errors name the file and the item.
Result<Source> read_marian_source(const std::string& path);

}  // namespace dragoman::converter
