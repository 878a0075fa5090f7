// A bounds-checked walk over little-endian bytes that nobody vouches for.
// Neighbours: the binary readers of formats/ take every number through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace dragoman::converter {

// Reads advance only when enough bytes remain; otherwise they return false and leave the cursor where it was.
class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  // T is an integer or float; the host is little-endian (checked once, below). Unaligned positions are fine.
  template <typename T>
  bool read(T* value) {
    if (remaining() < sizeof(T)) return false;
    std::memcpy(value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }

  bool take(uint64_t count, std::span<const std::byte>* out) {
    if (count > remaining()) return false;
    *out = bytes_.subspan(position_, static_cast<size_t>(count));
    position_ += static_cast<size_t>(count);
    return true;
  }

  bool skip(uint64_t count) {
    std::span<const std::byte> ignored;
    return take(count, &ignored);
  }

 private:
  std::span<const std::byte> bytes_;
  size_t position_ = 0;
};

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the converter reads and writes little-endian files in place");

}  // namespace dragoman::converter
