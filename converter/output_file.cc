// Temporary file, fsync, rename.
// Neighbours: output_file.h.
#include "converter/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "converter/formats/unnamed_file.h"

namespace dragoman::converter {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// mkstemp makes files private; the finished file gets what a plain open would have given it.
void apply_default_mode(int descriptor) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {
  buffer_.reserve(kBufferBytes);
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      return Status::error(Code::kIo, "%s: exists and is not a regular file", path.c_str());
    }
  } else if (errno != ENOENT) {  // such as a name that is too long
    return Status::error(Code::kIo, "%s: cannot create: %s", path.c_str(), std::strerror(errno));
  }
  const int unnamed = open_without_name(path);
  if (unnamed >= 0 && ::access(path_of(unnamed).c_str(), R_OK) == 0) {
    return std::unique_ptr<OutputFile>(new OutputFile(path, "", unnamed));
  }
  if (unnamed >= 0) ::close(unnamed);
  std::string temporary = path + ".part-XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return Status::error(Code::kIo, "%s: cannot create: %s", path.c_str(), std::strerror(errno));
  }
  apply_default_mode(descriptor);
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(temporary), descriptor));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::string OutputFile::temporary_path() const { return temporary_.empty() ? path_of(descriptor_) : temporary_; }

// A new name for the finished file: one that exists can only be replaced by renaming.
Status OutputFile::name_temporary() {
  constexpr int kAttempts = 100;
  const std::string from = path_of(descriptor_);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string name =
        folder_of(path_) + "/.dragoman-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return Status();
    }
    if (errno != EEXIST) break;
  }
  return error("give the finished file a name");
}

Status OutputFile::error(const char* what) const {
  return Status::error(Code::kIo, "%s: cannot %s: %s", path_.c_str(), what, std::strerror(errno));
}

Status OutputFile::write_at(uint64_t position, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return error("write");
    bytes = bytes.subspan(static_cast<size_t>(written));
    position += static_cast<uint64_t>(written);
  }
  return Status();
}

Status OutputFile::flush() {
  DRAGOMAN_RETURN_IF_ERROR(write_at(size_ - buffer_.size(), buffer_));
  buffer_.clear();
  return Status();
}

Status OutputFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t room = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(room));
    size_ += room;
    bytes = bytes.subspan(room);
    if (buffer_.size() == kBufferBytes) DRAGOMAN_RETURN_IF_ERROR(flush());
  }
  return Status();
}

Status OutputFile::pad_to(uint64_t position) {
  static constexpr std::byte kZeros[4096] = {};
  while (size_ < position) {
    const uint64_t count = std::min<uint64_t>(position - size_, sizeof(kZeros));
    DRAGOMAN_RETURN_IF_ERROR(append({kZeros, static_cast<size_t>(count)}));
  }
  return Status();
}

Status OutputFile::overwrite(uint64_t position, std::span<const std::byte> bytes) {
  DRAGOMAN_RETURN_IF_ERROR(flush());
  return write_at(position, bytes);
}

Status OutputFile::commit() {
  DRAGOMAN_RETURN_IF_ERROR(flush());
  if (::fsync(descriptor_) != 0) return error("flush to the disk");
  if (temporary_.empty()) DRAGOMAN_RETURN_IF_ERROR(name_temporary());
  const int closing = descriptor_;
  descriptor_ = -1;
  if (::close(closing) != 0) return error("close");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return error("rename the finished file to its name");
  temporary_.clear();
  // The new name lives in the folder; some file systems refuse to sync folders, and the data are safe either way.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return Status();
}

}  // namespace dragoman::converter
