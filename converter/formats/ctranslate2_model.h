// Reader of CTranslate2's `model.bin`: a list of named variables and of further names for them.
// Neighbours: frontends/ctranslate2 gives them to the families; layout of binary versions 4 to 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/stored_array.h"

namespace dragoman::converter {

struct CTranslate2Model {
  std::string spec;                            // "TransformerSpec"
  uint32_t revision = 0;                       // of the spec
  std::vector<StoredArray> variables;          // sorted by name; data point into the file. A scalar has no dimensions
  std::map<std::string, std::string> aliases;  // further name -> name
};

// Every count, name and size is checked against the file; errors name the variable.
Result<CTranslate2Model> read_ctranslate2_model(std::span<const std::byte> file, const std::string& path);

// Whether the bytes begin like such a file.
bool looks_like_ctranslate2(std::span<const std::byte> file);

}  // namespace dragoman::converter
