// Everything that a view says, as text: for comparing with what was recorded, and for touching all of it.
// Neighbours: test_old_files.cc compares, test_damaged_files.cc only walks.
#pragma once

#include <string>

#include "model/model_view.h"

namespace dragoman::test {

// One line for each thing; reads the first and last byte of each tensor and all of the shortlist.
std::string describe(const model::ModelView& view);

// Reads the same things without making a text (and without allocating); returns a number that depends on all of them.
uint64_t walk(const model::ModelView& view);

}  // namespace dragoman::test
