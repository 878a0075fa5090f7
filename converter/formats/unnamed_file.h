// A temporary file without a name: nothing of it stays, however the process ends. (Where the file system cannot make
// one, it has a name for a moment.) Neighbours: an Argos package is unpacked into such files; MappedFile reads them.
// OutputFile names its file when it is complete.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "converter/formats/mapped_file.h"

namespace dragoman::converter {

// Opens a file that never had a name, in the folder of `output`, with the mode that a plain open would give it. -1 with
// errno set where the file system cannot make one.
int open_without_name(const std::string& output);

class UnnamedFile {
 public:
  // On the file system of `output`, a file that need not be there yet but whose folder is. kIo naming it.
  static Result<std::unique_ptr<UnnamedFile>> create(const std::string& output);
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  // kIo, e.g. for a full disk.
  Status append(std::span<const std::byte> bytes);
  // What was appended, which stays until the mapping goes. Messages call it `path`.
  Result<std::unique_ptr<MappedFile>> map(const std::string& path) const;

 private:
  UnnamedFile(std::string output, int descriptor) : output_(std::move(output)), descriptor_(descriptor) {}

  std::string output_;
  int descriptor_;
};

}  // namespace dragoman::converter
