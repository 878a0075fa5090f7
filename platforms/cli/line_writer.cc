// write() until all is out. main() ignores SIGPIPE, so a reader that has gone shows as EPIPE.
#include "line_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dragoman::cli {

LineWriter::~LineWriter() { (void)close(); }

ExitCode LineWriter::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return state_ = fail(kExitFile, "cannot write " + path + ": " + std::strerror(errno));
  }
  descriptor_ = descriptor;
  name_ = path;
  return kExitOk;
}

void LineWriter::give_up(int error) {
  if (error == EPIPE) {
    state_ = kExitReaderGone;
    return;
  }
  state_ = fail(kExitFile, "cannot write " + name_ + ": " + std::strerror(error));
}

bool LineWriter::write(std::string_view text) {
  while (state_ == kExitOk && !text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd request = {descriptor_, POLLOUT, 0};
      (void)poll(&request, 1, -1);
    } else if (errno != EINTR) {
      give_up(errno);
    }
  }
  return state_ == kExitOk;
}

ExitCode LineWriter::close() {
  if (descriptor_ > STDERR_FILENO) {
    if (::close(descriptor_) != 0 && state_ == kExitOk) give_up(errno);
    descriptor_ = -1;
  }
  return state_;
}

bool LineWriter::is_terminal() const { return isatty(descriptor_) == 1; }

}  // namespace dragoman::cli
