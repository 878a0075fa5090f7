// Maps a source file with the operating system's help.
// Neighbours: mapped_file.h tells who reads the bytes.
#include "converter/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dragoman::converter {

Result<std::unique_ptr<MappedFile>> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe would wait for a writer, only to find that it is no regular file.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const Code code = errno == ENOENT ? Code::kNotFound : Code::kIo;
    return Status::error(code, "%s: cannot open: %s", path.c_str(), std::strerror(errno));
  }
  Result<std::unique_ptr<MappedFile>> file = map(descriptor, path);
  ::close(descriptor);
  return file;
}

Result<std::unique_ptr<MappedFile>> MappedFile::map(int descriptor, const std::string& path) {
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    return Status::error(Code::kIo, "%s: not a regular file", path.c_str());
  }
  const size_t size = static_cast<size_t>(info.st_size);
  const std::byte* data = nullptr;
  if (size > 0) {  // mmap refuses empty files; an empty span serves them
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) {
      return Status::error(Code::kIo, "%s: cannot map: %s", path.c_str(), std::strerror(errno));
    }
    data = static_cast<const std::byte*>(mapping);
  }
  return std::unique_ptr<MappedFile>(new MappedFile(path, data, size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace dragoman::converter
