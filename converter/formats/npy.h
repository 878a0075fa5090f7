// NumPy's array files: one `.npy`, and `.npz`, a zip of them.
// Neighbours: frontends/marian reads training models through it; layout as in NumPy's format description.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/stored_array.h"

namespace dragoman::converter {

// One array; `data` points into `file`. Little-endian numbers and single bytes are read; column-major order gives
// strides. Objects, records, text and big-endian numbers are refused by their description. `name` is for messages.
Result<StoredArray> read_npy(std::span<const std::byte> file, const std::string& name);

// Every array of the archive, named without ".npy", sorted by name. Compressed ones are inflated into memory.
Result<std::vector<StoredArray>> read_npz(std::span<const std::byte> file, const std::string& path);

}  // namespace dragoman::converter
