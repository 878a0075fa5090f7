// The hash table by which the runtime finds merges (TokenizerTables::merge_slots).
// Neighbours: tokenizer_json_tables fills it; runtime/text/merge_table.h reads it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// `merges` as TokenizerTables::merges. A pair that stands twice has the later rank. kUnsupported when pairs are made to
// collide so that no table of reasonable size serves.
Result<std::vector<uint32_t>> build_merge_slots(const std::vector<uint32_t>& merges);

}  // namespace dragoman::converter
