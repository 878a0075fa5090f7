// The bytes of a model file: mapped read-only, or borrowed from the caller.
// Neighbours: the C ABI makes one, ModelView reads it; nothing else touches the file system at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace dragoman::model {

// Owns a mapping (not the file descriptor) and unmaps it at its end; a borrowed block is only referred to.
// Any number of threads may read bytes(). A mapped file must not be shortened while it is in use.
class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Maps a whole file. Errors name the path: kNotFound, kIo (no permission, a folder, not a regular file),
  // kDamaged (empty, or too small for a header).
  static Result<MappedFile> map(const char* path);

  // Maps `length` bytes from `offset` of an open file, such as an asset inside a package. `offset` must be a multiple
  // of 64 (kInvalidArgument otherwise); it need not be one of the page size. `fd` may be closed afterwards.
  static Result<MappedFile> map(int fd, uint64_t offset, uint64_t length);

  // Refers to `bytes` bytes at `data`, which must be 64-byte aligned and outlive this object and every view on it;
  // nothing is copied. kInvalidArgument for a null or misaligned pointer, kDamaged when too small for a header.
  static Result<MappedFile> borrow(const void* data, size_t bytes);

  // Starts on a 64-byte boundary. Empty after a move.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void unmap();

  std::span<const std::byte> bytes_;
  void* mapping_ = nullptr;  // page-aligned start of what was mapped; null when borrowed
  size_t mapping_bytes_ = 0;
};

}  // namespace dragoman::model
