// Neighbours: unnamed_file.h.
#include "converter/formats/unnamed_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace dragoman::converter {
namespace {

// Nameless at the latest a moment after its birth. -1 with errno set.
int open_unnamed(const std::string& output) {
  const int born = open_without_name(output);
  if (born >= 0) return born;
  std::string name = output + ".part-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

int open_without_name(const std::string& output) {
#if defined(O_TMPFILE)
  const std::string parent = std::filesystem::path(output).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#else
  static_cast<void>(output);
  errno = ENOTSUP;
  return -1;
#endif
}

Result<std::unique_ptr<UnnamedFile>> UnnamedFile::create(const std::string& output) {
  const int descriptor = open_unnamed(output);
  if (descriptor >= 0) return std::unique_ptr<UnnamedFile>(new UnnamedFile(output, descriptor));
  return Status::error(Code::kIo, "%s: cannot create a file beside it: %s", output.c_str(), std::strerror(errno));
}

UnnamedFile::~UnnamedFile() { ::close(descriptor_); }

Status UnnamedFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return Status::error(Code::kIo, "%s: cannot write a file beside it: %s", output_.c_str(), std::strerror(errno));
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status();
}

Result<std::unique_ptr<MappedFile>> UnnamedFile::map(const std::string& path) const {
  return MappedFile::map(descriptor_, path);
}

}  // namespace dragoman::converter
