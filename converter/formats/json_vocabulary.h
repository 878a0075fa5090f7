// vocab.json: one JSON object, token -> id.
// Neighbours: hugging_face_vocabulary arranges pieces by it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// Tokens by id: tokens[i] has id i. kDamaged unless ids are exactly 0 to n-1; a token that stands twice is refused.
Result<std::vector<std::string>> read_json_vocabulary(std::span<const std::byte> bytes, const std::string& path);

}  // namespace dragoman::converter
