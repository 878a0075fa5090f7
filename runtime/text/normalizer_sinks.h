// Where the normalizer's loops write: one sink stores bytes, the other only maps positions back.
// Neighbours: normalizer.cc and normalizer_parts.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace dragoman::text {

// Stores what is written.
class ByteSink {
 public:
  explicit ByteSink(std::span<char> out) : out_(out) {}

  bool write(std::string_view bytes, size_t) {
    if (bytes.size() > out_.size() - size_) return false;
    std::memcpy(out_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return true;
  }

  // As write, but each byte stands for itself.
  bool copy(std::string_view bytes, size_t source) { return write(bytes, source); }

  void trim(std::string_view suffix) {
    while (std::string_view(out_.data(), size_).ends_with(suffix)) size_ -= suffix.size();
  }

  void trim_to(size_t size) { size_ = size; }

  size_t size() const { return size_; }

 private:
  std::span<char> out_;
  size_t size_ = 0;
};

// Replaces positions in the output by positions in the source. Trimming needs no care: whoever asks knows only of
// positions that survived it.
class PositionSink {
 public:
  explicit PositionSink(std::span<uint32_t> positions) : positions_(positions) {}

  bool write(std::string_view bytes, size_t source) {
    size_ += bytes.size();
    while (next_ < positions_.size() && positions_[next_] < size_) positions_[next_++] = static_cast<uint32_t>(source);
    return true;
  }

  bool copy(std::string_view bytes, size_t source) {
    for (size_t i = 0; i < bytes.size(); ++i) write(bytes.substr(i, 1), source + i);
    return true;
  }

  void trim(std::string_view) {}
  void trim_to(size_t) {}

  size_t size() const { return size_; }

  void finish(size_t source) {
    while (next_ < positions_.size()) positions_[next_++] = static_cast<uint32_t>(source);
  }

 private:
  std::span<uint32_t> positions_;
  size_t next_ = 0;
  size_t size_ = 0;
};

}  // namespace dragoman::text
