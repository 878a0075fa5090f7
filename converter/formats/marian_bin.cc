// Reader of Marian's binary container: fixed header, item headers, names, shapes, padding, data.
// Neighbours: marian_bin.h documents the items; layout as in Marian's common/binary.cpp, version 1.
#include "converter/formats/marian_bin.h"

#include <cinttypes>
#include <cmath>
#include <cstring>
#include <set>

#include "converter/formats/byte_cursor.h"

namespace dragoman::converter {
namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kMaxNameBytes = 4096;
constexpr uint64_t kMaxDimensions = 8;

struct ItemHeader {
  uint64_t name_bytes, type, dimensions, data_bytes;
};

Status check_header(const ItemHeader& header, size_t index, const std::string& path) {
  if (header.name_bytes == 0 || header.name_bytes > kMaxNameBytes) {
    return Status::error(Code::kDamaged, "%s: item %zu: name of %" PRIu64 " bytes, expected 1 to %" PRIu64,
                         path.c_str(), index, header.name_bytes, kMaxNameBytes);
  }
  if (header.dimensions == 0 || header.dimensions > kMaxDimensions) {
    return Status::error(Code::kDamaged, "%s: item %zu: %" PRIu64 " dimensions, expected 1 to %" PRIu64, path.c_str(),
                         index, header.dimensions, kMaxDimensions);
  }
  return Status();
}

Status read_headers(ByteCursor& cursor, const std::string& path, std::vector<ItemHeader>* headers) {
  uint64_t version = 0, count = 0;
  if (!cursor.read(&version) || !cursor.read(&count)) {
    return Status::error(Code::kDamaged, "%s: not a Marian model: only %zu bytes", path.c_str(), cursor.remaining());
  }
  if (version != kVersion) {
    return Status::error(Code::kUnsupported, "%s: not a Marian binary model of version 1 (first number is %" PRIu64 ")",
                         path.c_str(), version);
  }
  if (count > cursor.remaining() / sizeof(ItemHeader)) {
    return Status::error(Code::kDamaged, "%s: %" PRIu64 " items announced, but the file holds %zu more bytes",
                         path.c_str(), count, cursor.remaining());
  }
  headers->resize(static_cast<size_t>(count));
  for (size_t i = 0; i < headers->size(); ++i) {
    cursor.read(&(*headers)[i]);
    DRAGOMAN_RETURN_IF_ERROR(check_header((*headers)[i], i, path));
  }
  return Status();
}

Status read_names(ByteCursor& cursor, const std::string& path, const std::vector<ItemHeader>& headers,
                  std::vector<MarianItem>* items) {
  std::set<std::string> seen;
  for (size_t i = 0; i < headers.size(); ++i) {
    std::span<const std::byte> text;
    if (!cursor.take(headers[i].name_bytes, &text)) {
      return Status::error(Code::kDamaged, "%s: item %zu: the file ends inside its name", path.c_str(), i);
    }
    const char* name = reinterpret_cast<const char*>(text.data());
    if (std::memchr(name, 0, text.size()) != name + text.size() - 1 || text.size() == 1) {
      return Status::error(Code::kDamaged, "%s: item %zu: name is empty or not closed by its only NUL", path.c_str(),
                           i);
    }
    (*items)[i].name.assign(name, text.size() - 1);
    if (!seen.insert((*items)[i].name).second) {
      return Status::error(Code::kDamaged, "%s: item '%s' stands there twice", path.c_str(), (*items)[i].name.c_str());
    }
  }
  return Status();
}

Status read_shapes(ByteCursor& cursor, const std::string& path, const std::vector<ItemHeader>& headers,
                   std::vector<MarianItem>* items) {
  for (size_t i = 0; i < headers.size(); ++i) {
    MarianItem& item = (*items)[i];
    item.elements = 1;
    for (uint64_t axis = 0; axis < headers[i].dimensions; ++axis) {
      int32_t dimension = 0;
      if (!cursor.read(&dimension)) {
        return Status::error(Code::kDamaged, "%s: item '%s': the file ends inside its shape", path.c_str(),
                             item.name.c_str());
      }
      if (dimension <= 0 || item.elements > UINT64_MAX / 16 / static_cast<uint64_t>(dimension)) {
        return Status::error(Code::kDamaged, "%s: item '%s': dimension %" PRIu64 " is %d: not positive, or too large",
                             path.c_str(), item.name.c_str(), axis, dimension);
      }
      item.shape.push_back(static_cast<uint64_t>(dimension));
      item.elements *= static_cast<uint64_t>(dimension);
    }
  }
  return Status();
}

// Bytes of one element, 0 for codes that are not read.
uint64_t bytes_of(uint64_t type) {
  switch (static_cast<MarianType>(type)) {
    case MarianType::kInt8:
    case MarianType::kIntgemm8: return 1;
    case MarianType::kInt16:
    case MarianType::kFloat16:
    case MarianType::kIntgemm16: return 2;
    case MarianType::kInt32:
    case MarianType::kFloat32: return 4;
  }
  return 0;
}

Status read_multiplier(const std::string& path, uint64_t position, MarianItem* item) {
  std::memcpy(&item->multiplier, item->data.data() + position, sizeof(float));
  if (!std::isfinite(item->multiplier) || item->multiplier <= 0 || !std::isnormal(1 / item->multiplier)) {
    return Status::error(Code::kDamaged, "%s: item '%s': quantization multiplier %g, expected a positive number",
                         path.c_str(), item->name.c_str(), static_cast<double>(item->multiplier));
  }
  return Status();
}

Status read_data(ByteCursor& cursor, const std::string& path, const ItemHeader& header, MarianItem* item) {
  const uint64_t element = bytes_of(header.type);
  if (element == 0) {
    return Status::error(Code::kUnsupported, "%s: item '%s': element type 0x%" PRIx64 " cannot be read%s", path.c_str(),
                         item->name.c_str(), header.type,
                         (header.type & 0x0800) != 0 ? " (packed for one processor; use the unpacked model)" : "");
  }
  item->type = static_cast<MarianType>(header.type);
  const bool quantized = item->type == MarianType::kIntgemm8 || item->type == MarianType::kIntgemm16;
  const uint64_t needed = item->elements * element + (quantized ? sizeof(float) : 0);
  if (header.data_bytes < needed) {
    return Status::error(Code::kDamaged, "%s: item '%s': %" PRIu64 " bytes stored, its shape needs %" PRIu64,
                         path.c_str(), item->name.c_str(), header.data_bytes, needed);
  }
  if (!cursor.take(header.data_bytes, &item->data)) {
    return Status::error(Code::kDamaged, "%s: item '%s': %" PRIu64 " bytes announced, %zu left in the file",
                         path.c_str(), item->name.c_str(), header.data_bytes, cursor.remaining());
  }
  return quantized ? read_multiplier(path, item->elements * element, item) : Status();
}

}  // namespace

Result<std::vector<MarianItem>> read_marian_bin(std::span<const std::byte> bytes, const std::string& path) {
  ByteCursor cursor(bytes);
  std::vector<ItemHeader> headers;
  DRAGOMAN_RETURN_IF_ERROR(read_headers(cursor, path, &headers));
  std::vector<MarianItem> items(headers.size());
  DRAGOMAN_RETURN_IF_ERROR(read_names(cursor, path, headers, &items));
  DRAGOMAN_RETURN_IF_ERROR(read_shapes(cursor, path, headers, &items));
  uint64_t padding = 0;
  if (!cursor.read(&padding) || !cursor.skip(padding)) {
    return Status::error(Code::kDamaged, "%s: the padding before the data (%" PRIu64 " bytes) leaves the file",
                         path.c_str(), padding);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    DRAGOMAN_RETURN_IF_ERROR(read_data(cursor, path, headers[i], &items[i]));
  }
  if (cursor.remaining() != 0) {
    return Status::error(Code::kDamaged, "%s: %zu bytes after the last item", path.c_str(), cursor.remaining());
  }
  return items;
}

}  // namespace dragoman::converter
