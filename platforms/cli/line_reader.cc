// Buffered reading by read() and poll(); standard streams cannot tell whether a line is waiting.
#include "line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dragoman::cli {
namespace {

constexpr size_t kReadBytes = 64 * 1024;

// Whether a read() would return at once. `timeout_ms` -1 waits for it.
bool readable(int descriptor, int timeout_ms) {
  pollfd request = {descriptor, POLLIN, 0};
  return poll(&request, 1, timeout_ms) > 0;
}

}  // namespace

bool LineReader::find_end() {
  const void* found = std::memchr(buffer_.data() + scanned_, '\n', buffer_.size() - scanned_);
  scanned_ = found ? static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) : buffer_.size();
  return found != nullptr;
}

void LineReader::fill() {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  const size_t old_bytes = buffer_.size();
  buffer_.resize(old_bytes + kReadBytes);
  ssize_t got = read(descriptor_, buffer_.data() + old_bytes, kReadBytes);
  const int why = errno;
  buffer_.resize(old_bytes + static_cast<size_t>(got > 0 ? got : 0));
  if (got > 0) bytes_read_ += static_cast<uint64_t>(got);
  if (got == 0) ended_ = true;
  if (got < 0 && (why == EAGAIN || why == EWOULDBLOCK)) readable(descriptor_, -1);
  if (got < 0 && why != EINTR && why != EAGAIN && why != EWOULDBLOCK) error_ = why;
}

LineReader::Next LineReader::next(Line* line) {
  while (!find_end()) {
    if (error_ != 0) return Next::kError;
    if (ended_) break;
    fill();
  }
  if (scanned_ == buffer_.size() && begin_ == buffer_.size()) return Next::kEnd;
  line->text.assign(buffer_, begin_, scanned_ - begin_);
  line->carriage_return = !line->text.empty() && line->text.back() == '\r';
  if (line->carriage_return) line->text.pop_back();
  if (scanned_ < buffer_.size()) ++scanned_;
  begin_ = scanned_;
  return Next::kLine;
}

bool LineReader::ready() {
  while (!find_end()) {
    if (ended_ || error_ != 0) return true;
    if (!readable(descriptor_, 0)) return false;
    fill();
  }
  return true;
}

}  // namespace dragoman::cli
