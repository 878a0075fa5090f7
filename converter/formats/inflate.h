// Deflated bytes unpacked piece by piece, so that memory does not follow what an archive announces.
// Neighbours: zip_archive asks; zlib does the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/status.h"

namespace dragoman::converter {

// Takes the next piece of unpacked bytes; its error ends the unpacking.
using BytesTaker = std::function<Status(std::span<const std::byte>)>;

// Unpacks raw deflate data into pieces of at most 1 MB. kDamaged when they are not exactly `bytes` bytes, or their
// CRC-32 is another than `crc`.
Status inflate_pieces(std::span<const std::byte> deflated, uint64_t bytes, uint32_t crc, const BytesTaker& take);

}  // namespace dragoman::converter
