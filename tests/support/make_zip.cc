// Layout as in PKWARE's APPNOTE, sections 4.3.7 to 4.3.16.
#include "tests/support/make_zip.h"

#include <zlib.h>

#include <cstring>

namespace dragoman::test {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void put(Bytes* out, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out->insert(out->end(), bytes, bytes + sizeof(T));
}

void put(Bytes* out, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  out->insert(out->end(), bytes.begin(), bytes.end());
}

Bytes deflated(const Bytes& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Bytes out(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Placed {
  uint64_t offset = 0, stored = 0, size = 0;
  uint32_t crc = 0;
};

// What both headers of an entry have in common, from the version needed to the length of the name.
void put_common(Bytes* out, const ZipMember& member, const Placed& placed, bool hide_sizes) {
  put<uint16_t>(out, 20);
  put<uint16_t>(out, member.encrypted ? 1 : 0);
  put<uint16_t>(out, member.deflate ? 8 : 0);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, placed.crc);
  put<uint32_t>(out, hide_sizes ? 0xffffffff : static_cast<uint32_t>(placed.stored));
  put<uint32_t>(out, hide_sizes ? 0xffffffff : static_cast<uint32_t>(placed.size));
  put<uint16_t>(out, static_cast<uint16_t>(member.name.size()));
}

void put_directory_entry(Bytes* out, const ZipMember& member, const Placed& placed) {
  put<uint32_t>(out, 0x02014b50);
  put<uint16_t>(out, 20);
  put_common(out, member, placed, member.zip64);
  put<uint16_t>(out, member.zip64 ? 28 : 0);
  put<uint16_t>(out, 0);  // comment
  put<uint16_t>(out, 0);  // disk
  put<uint16_t>(out, 0);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, member.zip64 ? 0xffffffff : static_cast<uint32_t>(placed.offset));
  put(out, member.name);
  if (!member.zip64) return;
  put<uint16_t>(out, 1);
  put<uint16_t>(out, 24);
  put<uint64_t>(out, placed.size);
  put<uint64_t>(out, placed.stored);
  put<uint64_t>(out, placed.offset);
}

}  // namespace

Bytes zip_file(const std::vector<ZipMember>& members) {
  Bytes file;
  std::vector<Placed> places;
  for (const ZipMember& member : members) {
    const Bytes stored = member.deflate ? deflated(member.bytes) : member.bytes;
    Placed placed{file.size(), stored.size(), member.announced != 0 ? member.announced : member.bytes.size(), 0};
    placed.crc = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(member.bytes.data()), static_cast<uInt>(member.bytes.size())));
    if (member.wrong_checksum) ++placed.crc;
    put<uint32_t>(&file, 0x04034b50);
    put_common(&file, member, placed, false);
    put<uint16_t>(&file, 0);
    put(&file, member.name);
    file.insert(file.end(), stored.begin(), stored.end());
    places.push_back(placed);
  }
  const size_t begin = file.size();
  for (size_t i = 0; i < members.size(); ++i) put_directory_entry(&file, members[i], places[i]);
  const size_t bytes = file.size() - begin;
  put<uint32_t>(&file, 0x06054b50);
  put<uint32_t>(&file, 0);
  put<uint16_t>(&file, static_cast<uint16_t>(members.size()));
  put<uint16_t>(&file, static_cast<uint16_t>(members.size()));
  put<uint32_t>(&file, static_cast<uint32_t>(bytes));
  put<uint32_t>(&file, static_cast<uint32_t>(begin));
  put<uint16_t>(&file, 0);
  return file;
}

Bytes bytes_of_text(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace dragoman::test
