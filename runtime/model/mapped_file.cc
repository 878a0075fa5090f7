// Maps or borrows a model file's bytes. The POSIX calls stand in the first half, alone.
// Neighbours: mapped_file.h says what callers may expect; ModelView checks what the bytes mean.
#include "model/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "model/file_header.h"

namespace dragoman::model {

namespace {

struct Mapping {
  void* start = nullptr;  // page-aligned
  size_t bytes = 0;
};

// Maps [offset, offset + bytes) of `fd`; `offset` is a multiple of the page size. Returns errno, 0 when it worked.
int map_pages(int fd, uint64_t offset, size_t bytes, Mapping* mapping) {
  if (offset > static_cast<uint64_t>(INT64_MAX) || static_cast<uint64_t>(static_cast<off_t>(offset)) != offset) {
    return EOVERFLOW;
  }
  void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (start == MAP_FAILED) return errno;
  *mapping = {start, bytes};
  return 0;
}

void unmap_pages(const Mapping& mapping) {
  if (mapping.start != nullptr) ::munmap(mapping.start, mapping.bytes);
}

uint64_t page_bytes() {
  const long size = ::sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<uint64_t>(size) : 4096;
}

struct OpenFile {
  explicit OpenFile(int descriptor) : fd(descriptor) {}
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int fd;
};

// What is wrong with the kind of an open file, or null.
const char* wrong_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "is a folder, not a model file";
  return S_ISREG(mode) ? nullptr : "is not a regular file";
}

// The kind comes before the path in every message: a long path must not cut it off.
Status open_error(int error, const char* path) {
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kIo;
  const char* why = error == ENOENT || error == ENOTDIR  ? "no such file"
                    : error == EACCES                    ? "no permission to read it"
                    : error == ENAMETOOLONG              ? "the name is too long"
                    : error == EMFILE || error == ENFILE ? "too many open files"
                                                         : "the system refused it";
  return Status::error(code, "cannot open model (%s, error %d): '%s'", why, error, path);
}

}  // namespace

MappedFile::~MappedFile() { unmap(); }

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  bytes_ = std::exchange(other.bytes_, {});
  mapping_ = std::exchange(other.mapping_, nullptr);
  mapping_bytes_ = std::exchange(other.mapping_bytes_, 0);
  return *this;
}

void MappedFile::unmap() {
  unmap_pages({mapping_, mapping_bytes_});
  mapping_ = nullptr;
  bytes_ = {};
}

Result<MappedFile> MappedFile::map(const char* path) {
  if (path == nullptr || path[0] == '\0') return Status::error(Code::kInvalidArgument, "model path: found nothing");
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const OpenFile file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd < 0) return open_error(errno, path);
  struct stat info;
  if (::fstat(file.fd, &info) != 0) return open_error(errno, path);
  if (const char* wrong = wrong_kind(info.st_mode)) return Status::error(Code::kIo, "the path %s: '%s'", wrong, path);
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size == 0) return Status::error(Code::kDamaged, "the model file is empty: '%s'", path);
  if (size < sizeof(FileHeader)) {
    return Status::error(Code::kDamaged, "the model file is too small (%llu bytes): '%s'",
                         static_cast<unsigned long long>(size), path);
  }
  Result<MappedFile> mapped = map(file.fd, 0, size);
  if (!mapped.ok()) return Status::error(mapped.status().code(), "%s: '%.150s'", mapped.status().message(), path);
  return mapped;
}

Result<MappedFile> MappedFile::map(int fd, uint64_t offset, uint64_t length) {
  using ull = unsigned long long;
  struct stat info;
  if (::fstat(fd, &info) != 0) return Status::error(Code::kIo, "file descriptor %d: error %d", fd, errno);
  if (const char* wrong = wrong_kind(info.st_mode)) return Status::error(Code::kIo, "file descriptor %d %s", fd, wrong);
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (offset > size || length > size - offset) {
    return Status::error(Code::kInvalidArgument, "model: %llu bytes at %llu lie outside a file of %llu", ull{length},
                         ull{offset}, ull{size});
  }
  if (offset % kFileAlignment != 0) {
    return Status::error(Code::kInvalidArgument, "model: found offset %llu inside its file, expected a multiple of 64",
                         ull{offset});
  }
  if (length < sizeof(FileHeader)) {
    return Status::error(Code::kDamaged, "model: found %llu bytes, fewer than the 64 of a header", ull{length});
  }
  const uint64_t before = offset % page_bytes();
  if (length > SIZE_MAX - before) {
    return Status::error(Code::kUnsupported, "model: %llu bytes do not fit this machine's address space", ull{length});
  }
  Mapping mapping;
  const int error = map_pages(fd, offset - before, static_cast<size_t>(length + before), &mapping);
  if (error != 0) {
    return Status::error(error == ENOMEM ? Code::kOutOfMemory : Code::kIo, "mapping %llu bytes failed (error %d)",
                         ull{length}, error);
  }
  MappedFile mapped;
  mapped.mapping_ = mapping.start;
  mapped.mapping_bytes_ = mapping.bytes;
  mapped.bytes_ = {static_cast<const std::byte*>(mapping.start) + before, static_cast<size_t>(length)};
  return mapped;
}

Result<MappedFile> MappedFile::borrow(const void* data, size_t bytes) {
  if (data == nullptr) return Status::error(Code::kInvalidArgument, "model: found a null pointer for %zu bytes", bytes);
  const auto address = reinterpret_cast<uintptr_t>(data);
  if (address % kFileAlignment != 0) {
    return Status::error(Code::kInvalidArgument,
                         "model: found bytes at an address %zu past a multiple of 64; the alignment needed is 64",
                         static_cast<size_t>(address % kFileAlignment));
  }
  if (bytes < sizeof(FileHeader)) {
    return Status::error(Code::kDamaged, "model: found %zu bytes, fewer than the 64 of a header", bytes);
  }
  MappedFile borrowed;
  borrowed.bytes_ = {static_cast<const std::byte*>(data), bytes};
  return borrowed;
}

}  // namespace dragoman::model
