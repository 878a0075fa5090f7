// Central directory first, local headers only to find where data begins.
// Neighbours: zip_archive.h.
#include "converter/formats/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "converter/formats/byte_cursor.h"
#include "converter/formats/inflate.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kLocalMagic = 0x04034b50, kCentralMagic = 0x02014b50, kEndMagic = 0x06054b50;
constexpr uint32_t kEnd64Magic = 0x06064b50, kLocator64Magic = 0x07064b50;
constexpr size_t kEndBytes = 22, kLocator64Bytes = 20, kLocalBytes = 30;
constexpr size_t kMaxComment = 65535;
constexpr uint16_t kDeflate = 8;
constexpr uint64_t kMaxInflated = uint64_t{1} << 38;

template <typename T>
T load(std::span<const std::byte> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct Directory {
  uint64_t entries = 0, bytes = 0, offset = 0;
};

// The zip64 record replaces the short one wherever a field of that is all ones.
Status read_end64(std::span<const std::byte> file, size_t end, Directory* directory) {
  const Status damaged = Status::error(Code::kDamaged, "zip64 end of central directory is damaged");
  if (end < kLocator64Bytes || load<uint32_t>(file, end - kLocator64Bytes) != kLocator64Magic) return damaged;
  const uint64_t at = load<uint64_t>(file, end - kLocator64Bytes + 8);
  if (at > file.size() || file.size() - at < 56 || load<uint32_t>(file, at) != kEnd64Magic) return damaged;
  directory->entries = load<uint64_t>(file, at + 32);
  directory->bytes = load<uint64_t>(file, at + 40);
  directory->offset = load<uint64_t>(file, at + 48);
  return Status();
}

Result<Directory> find_directory(std::span<const std::byte> file) {
  const size_t lowest = file.size() > kEndBytes + kMaxComment ? file.size() - kEndBytes - kMaxComment : 0;
  for (size_t at = file.size() < kEndBytes ? 0 : file.size() - kEndBytes + 1; at > lowest; --at) {
    const size_t end = at - 1;
    if (load<uint32_t>(file, end) != kEndMagic) continue;
    if (load<uint16_t>(file, end + 4) != 0 && load<uint16_t>(file, end + 4) != 0xffff) {
      return Status::error(Code::kUnsupported, "a zip archive of several disks");
    }
    Directory directory{load<uint16_t>(file, end + 10), load<uint32_t>(file, end + 12), load<uint32_t>(file, end + 16)};
    if (directory.entries == 0xffff || directory.bytes == 0xffffffff || directory.offset == 0xffffffff) {
      DRAGOMAN_RETURN_IF_ERROR(read_end64(file, end, &directory));
    }
    if (directory.offset > end || directory.bytes > end - directory.offset) {
      return Status::error(Code::kDamaged, "the central directory lies outside the file");
    }
    return directory;
  }
  return Status::error(Code::kDamaged, "not a zip archive, or cut short: no end of central directory");
}

// Fills the fields that did not fit into 32 bits from the zip64 extra field.
bool read_extra(std::span<const std::byte> extra, ZipEntry* entry) {
  ByteCursor cursor(extra);
  uint16_t id = 0, length = 0;
  while (cursor.read(&id) && cursor.read(&length)) {
    std::span<const std::byte> body;
    if (!cursor.take(length, &body)) return false;
    if (id != 1) continue;
    ByteCursor fields(body);
    for (uint64_t* field : {&entry->bytes, &entry->stored_bytes, &entry->header_offset}) {
      if (*field == 0xffffffff && !fields.read(field)) return false;
    }
  }
  return true;
}

struct CentralHeader {
  uint16_t flags, method, name_bytes, extra_bytes, comment_bytes;
};

Result<ZipEntry> read_entry(ByteCursor& cursor) {
  const Status damaged = Status::error(Code::kDamaged, "the central directory is damaged");
  std::span<const std::byte> fixed, name, extra;
  if (!cursor.take(46, &fixed) || load<uint32_t>(fixed, 0) != kCentralMagic) return damaged;
  const CentralHeader header{load<uint16_t>(fixed, 8), load<uint16_t>(fixed, 10), load<uint16_t>(fixed, 28),
                             load<uint16_t>(fixed, 30), load<uint16_t>(fixed, 32)};
  ZipEntry entry;
  entry.method = header.method;
  entry.crc = load<uint32_t>(fixed, 16);
  entry.stored_bytes = load<uint32_t>(fixed, 20);
  entry.bytes = load<uint32_t>(fixed, 24);
  entry.header_offset = load<uint32_t>(fixed, 42);
  if (!cursor.take(header.name_bytes, &name) || !cursor.take(header.extra_bytes, &extra) ||
      !cursor.skip(header.comment_bytes) || !read_extra(extra, &entry)) {
    return damaged;
  }
  entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  if ((header.flags & 1) != 0) return Status::error(Code::kUnsupported, "'%.80s' is encrypted", entry.name.c_str());
  return entry;
}

}  // namespace

bool looks_like_zip(std::span<const std::byte> file) {
  return file.size() >= kEndBytes && (load<uint32_t>(file, 0) == kLocalMagic || load<uint32_t>(file, 0) == kEndMagic);
}

Result<ZipArchive> ZipArchive::open(std::span<const std::byte> file, const std::string& path) {
  ZipArchive archive;
  archive.file_ = file;
  archive.path_ = path;
  const Result<Directory> directory = find_directory(file);
  if (!directory.ok()) {
    return Status::error(directory.status().code(), "%s: %s", path.c_str(), directory.status().message());
  }
  ByteCursor cursor(file.subspan(directory.value().offset, directory.value().bytes));
  while (archive.entries_.size() < directory.value().entries) {
    Result<ZipEntry> entry = read_entry(cursor);
    if (!entry.ok()) return Status::error(entry.status().code(), "%s: %s", path.c_str(), entry.status().message());
    archive.entries_.push_back(std::move(entry.value()));
  }
  auto& entries = archive.entries_;
  std::sort(entries.begin(), entries.end(), [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                        [](const ZipEntry& a, const ZipEntry& b) { return a.name == b.name; });
  if (twice != entries.end()) {
    return Status::error(Code::kDamaged, "%s: '%.80s' stands there twice", path.c_str(), twice->name.c_str());
  }
  return archive;
}

const ZipEntry* ZipArchive::find(const std::string& name) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const ZipEntry& entry, const std::string& key) { return entry.name < key; });
  return at != entries_.end() && at->name == name ? &*at : nullptr;
}

Status ZipArchive::damaged(const ZipEntry& entry, const char* what) const {
  return Status::error(Code::kDamaged, "%s: '%.80s': %s", path_.c_str(), entry.name.c_str(), what);
}

Result<std::span<const std::byte>> ZipArchive::stored(const ZipEntry& entry) const {
  const uint64_t at = entry.header_offset;
  if (at > file_.size() || file_.size() - at < kLocalBytes || load<uint32_t>(file_, at) != kLocalMagic) {
    return damaged(entry, "no local header where the directory says");
  }
  const uint64_t begin = at + kLocalBytes + load<uint16_t>(file_, at + 26) + uint64_t{load<uint16_t>(file_, at + 28)};
  if (begin > file_.size() || entry.stored_bytes > file_.size() - begin) {
    return damaged(entry, "lies outside the file");
  }
  if (entry.method != 0 && entry.method != kDeflate) {
    return damaged(entry, "compressed by a method other than deflate");
  }
  if (entry.method == 0 && entry.bytes != entry.stored_bytes) return damaged(entry, "stored, but of two sizes");
  // Deflate shrinks data by a factor of 1032 at most; a larger promise is no reason to reserve memory.
  if (entry.bytes > kMaxInflated || (entry.method != 0 && entry.bytes / 1040 > entry.stored_bytes)) {
    return damaged(entry, "announces too many bytes");
  }
  return file_.subspan(begin, entry.stored_bytes);
}

Result<ZipContents> ZipArchive::read(const ZipEntry& entry) const {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, stored(entry));
  if (entry.method == 0) return ZipContents{bytes, nullptr};
  auto inflated = std::make_shared<std::vector<std::byte>>();
  inflated->reserve(static_cast<size_t>(std::min<uint64_t>(entry.bytes, bytes.size() * 4)));
  const Status status = inflate_pieces(bytes, entry.bytes, entry.crc, [&inflated](std::span<const std::byte> piece) {
    inflated->insert(inflated->end(), piece.begin(), piece.end());
    return Status();
  });
  if (!status.ok()) return damaged(entry, status.message());
  return ZipContents{*inflated, inflated};
}

Status ZipArchive::unpack(const ZipEntry& entry, const BytesTaker& take) const {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, stored(entry));
  if (entry.method == 0) {
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    return crc == entry.crc ? take(bytes) : damaged(entry, "checksum is wrong");
  }
  Status taken;
  const Status status = inflate_pieces(bytes, entry.bytes, entry.crc, [&](std::span<const std::byte> piece) {
    taken = take(piece);
    return taken;
  });
  if (!taken.ok()) return taken;
  return status.ok() ? status : damaged(entry, status.message());
}

}  // namespace dragoman::converter
