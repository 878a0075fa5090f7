// Temporary file, fsync, then its name: a link, or a rename over an older file.
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

constexpr int kMaxNames = 100;

std::string new_name(const std::string& path, int number) {
  return folder_of(path) + "/.dragoman-" + std::to_string(::getpid()) + "-" + std::to_string(number);
}

std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Names a file that has no name. False with errno set, EEXIST if the name is taken.
bool link_to(int descriptor, const std::string& name) {
  return ::linkat(AT_FDCWD, path_of(descriptor).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// A file without a name, if another one could be named here: some systems make such files but forbid links. -1 if not.
int open_nameless(const std::string& path) {
  const int probe = open_without_name(path);
  if (probe < 0) return -1;
  bool linked = false;
  for (int i = 0; i < kMaxNames && !linked; ++i) {
    const std::string name = new_name(path, i);
    linked = link_to(probe, name);
    if (linked) ::unlink(name.c_str());
    if (!linked && errno != EEXIST) break;
  }
  ::close(probe);
  return linked ? open_without_name(path) : -1;
}

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

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, Temporary kind) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      return Status::error(Code::kIo, "%s: exists and is not a regular file", path.c_str());
    }
  } else if (errno != ENOENT) {  // such as a name that is too long
    return Status::error(Code::kIo, "%s: cannot create: %s", path.c_str(), std::strerror(errno));
  }
  const int nameless = kind == Temporary::kNameless ? open_nameless(path) : -1;
  if (nameless >= 0) return std::unique_ptr<OutputFile>(new OutputFile(path, "", nameless));
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

// Under its own name if there is no such file, else under a new one: only renaming replaces a file.
Status OutputFile::give_name() {
  if (link_to(descriptor_, path_)) return Status();
  for (int i = 0; i < kMaxNames && errno == EEXIST; ++i) {
    const std::string name = new_name(path_, i);
    if (!link_to(descriptor_, name)) continue;
    temporary_ = name;
    return Status();
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
  if (temporary_.empty()) DRAGOMAN_RETURN_IF_ERROR(give_name());
  const int closing = descriptor_;
  descriptor_ = -1;
  if (::close(closing) != 0) return error("close");
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    return error("rename the finished file to its name");
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
