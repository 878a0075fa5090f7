// Reader of the binary lexical shortlist, `lex.*.bin`.
// Neighbours: marian_shortlist.h documents the result; layout as in Marian's data/shortlist.cpp.
#include "converter/formats/marian_shortlist.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "converter/formats/byte_cursor.h"

namespace dragoman::converter {
namespace {

constexpr uint64_t kMagic = 0xF11A48D5013417F5;
constexpr size_t kChecksummedFrom = 16;

struct Header {
  uint64_t magic, checksum, first, best, num_offsets, num_ids;
};

Status check_header(const Header& header, std::span<const std::byte> bytes, const char* path) {
  if (header.magic != kMagic) {
    return Status::error(Code::kUnsupported, "%s: not a binary shortlist (magic 0x%016" PRIx64 ")", path, header.magic);
  }
  const uint64_t room = bytes.size() - sizeof(Header);
  if (header.num_offsets < 2 || header.num_offsets > room / 8 || header.num_ids > room / 4 ||
      header.num_ids > UINT32_MAX || header.num_offsets * 8 + header.num_ids * 4 != room) {
    return Status::error(Code::kDamaged,
                         "%s: %" PRIu64 " offsets and %" PRIu64 " ids announced, the file holds %zu bytes", path,
                         header.num_offsets, header.num_ids, bytes.size());
  }
  if (header.first > INT32_MAX || header.best > INT32_MAX) {
    return Status::error(Code::kDamaged, "%s: first %" PRIu64 " or best %" PRIu64 " out of range", path, header.first,
                         header.best);
  }
  const uint64_t found = marian_shortlist_checksum(bytes.subspan(kChecksummedFrom));
  if (found != header.checksum) {
    return Status::error(Code::kDamaged, "%s: checksum 0x%016" PRIx64 ", expected 0x%016" PRIx64, path, found,
                         header.checksum);
  }
  return Status();
}

Status read_offsets(ByteCursor& cursor, const Header& header, const char* path, std::vector<uint32_t>* offsets) {
  offsets->resize(static_cast<size_t>(header.num_offsets));
  uint64_t previous = 0;
  for (size_t i = 0; i < offsets->size(); ++i) {
    uint64_t offset = 0;
    cursor.read(&offset);
    if (offset < previous || offset > header.num_ids || (i == 0 && offset != 0)) {
      return Status::error(Code::kDamaged, "%s: offset %zu is %" PRIu64 " after %" PRIu64 " of %" PRIu64 " ids", path,
                           i, offset, previous, header.num_ids);
    }
    (*offsets)[i] = static_cast<uint32_t>(offset);
    previous = offset;
  }
  if (previous != header.num_ids) {
    return Status::error(Code::kDamaged, "%s: the lists hold %" PRIu64 " ids, %" PRIu64 " are stored", path, previous,
                         header.num_ids);
  }
  return Status();
}

// The format promises ascending lists; a set is what counts, so an unsorted list is put in order.
void sort_lists(MarianShortlist* list) {
  std::vector<uint32_t> ids;
  ids.reserve(list->ids.size());
  uint32_t begin = 0;
  for (size_t source = 0; source + 1 < list->offsets.size(); ++source) {
    const uint32_t end = list->offsets[source + 1];
    std::sort(list->ids.begin() + begin, list->ids.begin() + end);
    std::unique_copy(list->ids.begin() + begin, list->ids.begin() + end, std::back_inserter(ids));
    list->offsets[source + 1] = static_cast<uint32_t>(ids.size());
    begin = end;
  }
  list->ids = std::move(ids);
}

}  // namespace

uint64_t marian_shortlist_checksum(std::span<const std::byte> bytes) {
  uint64_t hash = 0;
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    hash ^= word + 0x9e3779b9 + (hash << 6) + (hash >> 2);
  }
  return hash;
}

Result<MarianShortlist> read_marian_shortlist(std::span<const std::byte> bytes, const std::string& path) {
  ByteCursor cursor(bytes);
  Header header = {};
  if (!cursor.read(&header)) {
    return Status::error(Code::kDamaged, "%s: not a binary shortlist: only %zu bytes", path.c_str(), bytes.size());
  }
  DRAGOMAN_RETURN_IF_ERROR(check_header(header, bytes, path.c_str()));
  MarianShortlist list;
  list.first = static_cast<uint32_t>(header.first);
  list.best = static_cast<uint32_t>(header.best);
  DRAGOMAN_RETURN_IF_ERROR(read_offsets(cursor, header, path.c_str(), &list.offsets));
  list.ids.resize(static_cast<size_t>(header.num_ids));
  for (uint32_t& id : list.ids) cursor.read(&id);
  sort_lists(&list);
  return list;
}

}  // namespace dragoman::converter
