// What was recorded of a model with the framework that defines it, and how close to it a computation comes.
// Neighbours: tests/data/families and tests/data/multilingual; the parity tests of families.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "tests/parity/families/family_model.h"

namespace dragoman::test {

inline constexpr double kTolerance = 1e-4;       // of values, over the largest of them
inline constexpr double kScoreTolerance = 1e-3;  // of a hypothesis' score
inline constexpr uint32_t kNewTokens = 20;       // generated at most, as recorded

// Fails the test when the file is not there.
nlohmann::json read_recording(const std::string& path);

// To convert a folder, weights kept in f32.
converter::ConvertOptions float_options(const std::string& folder);

// The sentences of a family's reference.json, without padding. Fails the test when there are none.
std::vector<Ids> recorded_sources(const nlohmann::json& recorded);
// What the decoder was fed for one of them, without M2M100's padding: it numbers positions without it, which a decoder
// never sees here.
Ids recorded_target(const nlohmann::json& recorded, size_t sentence);

// max|a - b| / max|b|. Fails the test when sizes differ or a number is not finite.
double distance(std::span<const float> computed, std::span<const float> recorded);

// Rows `rows` of computed [.., width] are within kTolerance of the recorded ones, which may have fewer columns.
void check_rows(std::span<const float> computed, size_t width, const nlohmann::json& rows,
                const nlohmann::json& recorded);

}  // namespace dragoman::test
