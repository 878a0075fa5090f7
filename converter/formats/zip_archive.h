// A zip archive over a mapped file: entries found through the central directory, contents on request.
// Neighbours: the readers of .npz, PyTorch checkpoints and Argos packages; format as in PKWARE's APPNOTE, zip64
// included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/inflate.h"

namespace dragoman::converter {

struct ZipEntry {
  std::string name;
  uint64_t bytes = 0;         // uncompressed
  uint64_t stored_bytes = 0;  // in the archive
  uint64_t header_offset = 0;
  uint32_t crc = 0;
  uint16_t method = 0;  // 0 stored, 8 deflated
};

// The bytes of an entry: a view into the archive when it is stored, else memory that `owner` keeps.
struct ZipContents {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Borrows the archive's bytes.
class ZipArchive {
 public:
  // kDamaged for bytes that are no zip archive or whose directory does not hold together; encrypted entries, several
  // disks and doubled names are refused. `path` names the file in messages.
  static Result<ZipArchive> open(std::span<const std::byte> file, const std::string& path);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  // Null when there is none of that name.
  const ZipEntry* find(const std::string& name) const;
  // Checks sizes and, when it was compressed, the checksum.
  Result<ZipContents> read(const ZipEntry& entry) const;
  // As read(), but gives the bytes to `take` piece by piece, whose error is returned as it is.
  Status unpack(const ZipEntry& entry, const BytesTaker& take) const;

 private:
  Status damaged(const ZipEntry& entry, const char* what) const;
  // The entry's bytes in the archive, its sizes checked.
  Result<std::span<const std::byte>> stored(const ZipEntry& entry) const;

  std::span<const std::byte> file_;
  std::string path_;
  std::vector<ZipEntry> entries_;  // sorted by name
};

// Whether the bytes begin like a zip archive.
bool looks_like_zip(std::span<const std::byte> file);

}  // namespace dragoman::converter
