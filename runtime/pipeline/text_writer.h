// printf into a caller's buffer that may be too small, counting what would be needed.
// Neighbours: pipeline/describe.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <span>

namespace dragoman::pipeline {

class TextWriter {
 public:
  // What fits is written, NUL-terminated when there is any room at all.
  explicit TextWriter(std::span<char> out) : out_(out) {
    if (!out_.empty()) out_[0] = '\0';
  }

  void print(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    const std::span<char> room = size_ < out_.size() ? out_.subspan(size_) : std::span<char>();
    va_list args;
    va_start(args, format);
    const int written = std::vsnprintf(room.data(), room.size(), format, args);
    va_end(args);
    if (written > 0) size_ += static_cast<size_t>(written);
  }

  // Bytes of the whole text, without the NUL.
  size_t size() const { return size_; }

 private:
  std::span<char> out_;
  size_t size_ = 0;
};

}  // namespace dragoman::pipeline
