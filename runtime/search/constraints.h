// Changes the logits of a hypothesis so that what may not come cannot.
// Neighbours: options.h describes the constraints; search.cc applies them before anything is chosen.
#pragma once

#include <cstdint>
#include <span>

#include "search/columns.h"
#include "search/options.h"

namespace dragoman::search {

// `history`: the ids so far, the start id in front. `scratch` has room for as many.
void apply(const Constraints& constraints, std::span<const int32_t> history, std::span<int32_t> scratch,
           const Columns& columns);

}  // namespace dragoman::search
