// Builds the double-array tries that the runtime walks (unit format: runtime/text/double_array.h).
// Neighbours: tokenizer_builder makes one of the pieces and one of the user symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// Keys need not be sorted. kInvalidArgument for an empty key, a key with a NUL byte, a key given twice, or a value
// above 2^31 - 1; kUnsupported when the format's offsets do not reach. The same keys always give the same units. No key
// at all gives a trie that matches nothing.
Result<std::vector<uint32_t>> build_double_array(std::vector<std::pair<std::string, uint32_t>> keys);

// Whether a double array that someone else built can be walked safely: children inside, values below `value_limit`.
Status check_double_array(std::span<const uint32_t> units, size_t value_limit);

// The keys of one that check_double_array() accepted, with their values, in byte order. kDamaged when a key would be
// longer than `max_key_bytes`, or when a damaged array has no end.
Result<std::vector<std::pair<std::string, uint32_t>>> list_double_array(std::span<const uint32_t> units,
                                                                        size_t max_key_bytes);

}  // namespace dragoman::converter
