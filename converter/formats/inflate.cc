// Neighbours: inflate.h.
#include "converter/formats/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace dragoman::converter {
namespace {

constexpr size_t kPiece = size_t{1} << 20;
constexpr size_t kMaxInput = size_t{1} << 30;  // zlib counts in 32 bits

// Ends the stream whatever happens.
struct Stream {
  z_stream z = {};
  bool started = inflateInit2(&z, -MAX_WBITS) == Z_OK;

  Stream() = default;
  ~Stream() {
    if (started) inflateEnd(&z);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

}  // namespace

Status inflate_pieces(std::span<const std::byte> deflated, uint64_t bytes, uint32_t crc, const BytesTaker& take) {
  const Status damaged = Status::error(Code::kDamaged, "compressed data are damaged");
  Stream stream;
  if (!stream.started) return Status::error(Code::kOutOfMemory, "zlib does not start");
  std::vector<std::byte> piece(kPiece);
  uint64_t taken = 0, given = 0;
  uLong found = 0;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    const size_t in = static_cast<size_t>(std::min<uint64_t>(kMaxInput, deflated.size() - given));
    stream.z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(deflated.data() + given));
    stream.z.avail_in = static_cast<uInt>(in);
    stream.z.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.z.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream.z, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) return damaged;
    const size_t out = piece.size() - stream.z.avail_out;
    given += in - stream.z.avail_in;
    taken += out;
    if (taken > bytes || (out == 0 && stream.z.avail_in == in && result == Z_OK)) return damaged;
    found = crc32_z(found, reinterpret_cast<const Bytef*>(piece.data()), out);
    DRAGOMAN_RETURN_IF_ERROR(take(std::span(piece).first(out)));
  }
  if (taken != bytes) return damaged;
  return found == crc ? Status() : Status::error(Code::kDamaged, "checksum is wrong");
}

}  // namespace dragoman::converter
