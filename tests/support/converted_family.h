// The tiny model folders of tests/data, converted: in memory, ready for dragoman.h.
// Neighbours: tests of decoding and of damaged files; translation.h opens what comes from here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/model_builder.h"

namespace dragoman::test {

inline constexpr std::array<const char*, 6> kFamilies = {"marian", "bart", "m2m100", "t5", "t5-v1_1", "mt5"};

// The bytes of the .drg of a folder in tests/data, with int8 weights. Fails the test when it cannot be converted.
AlignedBytes converted_model(const std::string& folder);
// Of one in tests/data/families.
AlignedBytes converted_family(const std::string& family);

// Seeded random sources of 1 to 14 ids below `vocabulary`, the end id behind them.
std::vector<std::vector<int32_t>> random_sources(size_t count, int32_t end_id, int32_t vocabulary);

}  // namespace dragoman::test
