// The first 64 bytes of a .drg file, little-endian.
// Neighbours: the converter's writer fills it, verify_header.cc checks it before anything else is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dragoman::model {

inline constexpr char kMagic[8] = {'D', 'R', 'A', 'G', 'O', 'M', 'A', 'N'};
inline constexpr uint32_t kByteOrder = 0x01020304u;  // reads as 0x04030201 where the other byte order rules
inline constexpr uint32_t kRevision = 2;             // the newest revision that this reader knows
inline constexpr uint32_t kKnownFeatures = 0;        // bits of required_features that this reader understands
inline constexpr uint64_t kFileAlignment = 64;       // of the model, the payload, every tensor, and borrowed bytes

// Offsets are counted from the first byte of the header; sizes are bytes.
struct FileHeader {
  char magic[8];
  uint32_t byte_order;
  uint32_t revision;           // of the writer, 1 or more
  uint32_t minimum_reader;     // the oldest reader that understands the file, 1 to `revision`
  uint32_t required_features;  // a reader refuses a file with a bit that it does not know
  uint64_t model_offset;       // of the FlatBuffer; 64 in revision 1
  uint64_t model_bytes;
  uint64_t payload_offset;  // a multiple of 64, not before the FlatBuffer's end
  uint64_t payload_bytes;
  uint64_t file_bytes;  // of the whole file, header included
};

static_assert(sizeof(FileHeader) == 64);
static_assert(alignof(FileHeader) == 8);
static_assert(std::is_trivially_copyable_v<FileHeader>);
static_assert(offsetof(FileHeader, byte_order) == 8);
static_assert(offsetof(FileHeader, revision) == 12);
static_assert(offsetof(FileHeader, minimum_reader) == 16);
static_assert(offsetof(FileHeader, required_features) == 20);
static_assert(offsetof(FileHeader, model_offset) == 24);
static_assert(offsetof(FileHeader, model_bytes) == 32);
static_assert(offsetof(FileHeader, payload_offset) == 40);
static_assert(offsetof(FileHeader, payload_bytes) == 48);
static_assert(offsetof(FileHeader, file_bytes) == 56);

}  // namespace dragoman::model
