// A source file mapped read-only for the length of a conversion.
// Neighbours: every reader of formats/ parses these bytes; nothing here knows what they mean.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace dragoman::converter {

// Owns the mapping; views into bytes() must not outlive it. Safe to share between threads. The file must not shrink
// meanwhile (the operating system would raise SIGBUS).
class MappedFile {
 public:
  // Fails with kNotFound or kIo, naming the path. Directories and devices are refused.
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path);
  // The same of an open file, whose descriptor stays the caller's; `path` is what messages call it.
  static Result<std::unique_ptr<MappedFile>> map(int descriptor, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, const std::byte* data, size_t size) : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  const std::byte* data_;
  size_t size_;
};

}  // namespace dragoman::converter
