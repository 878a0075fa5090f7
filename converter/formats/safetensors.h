// Reader of `.safetensors` files: u64 header length, JSON header, data.
// Neighbours: frontends/hugging_face maps the file; layout as the format's specification gives it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/stored_array.h"

namespace dragoman::converter {

// Every array of the file, sorted by name; their data point into `file`. The header is not trusted: sizes, offsets,
// overlaps, gaps, element types, doubled keys and unknown fields are refused naming tensor and field (kDamaged, or
// kUnsupported for an element type). `path` names the file in messages.
Result<std::vector<StoredArray>> read_safetensors(std::span<const std::byte> file, const std::string& path);

}  // namespace dragoman::converter
