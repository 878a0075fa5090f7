// First checks of a model file: its 64-byte header, then the FlatBuffer's structure.
// Neighbours: verify_tensors.cc, verify_graph.cc and verify_text.cc look at the meaning afterwards.
#include <algorithm>
#include <cstring>

#include "flatbuffers/verifier.h"
#include "model/graph_view.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

// Deepest legal nesting is Model > Graph > Program > [Node] > operator.
constexpr flatbuffers::uoffset_t kMaxDepth = 12;
// Tensors, values and nodes are limited to 2^16 each; this covers three full programs.
constexpr flatbuffers::uoffset_t kMaxTables = 1u << 19;
constexpr uint64_t kMaxModelBytes = uint64_t{1} << 30;

bool is_swapped_magic(const char (&magic)[8]) {
  char swapped[8];
  std::reverse_copy(magic, magic + 8, swapped);
  return std::memcmp(swapped, kMagic, sizeof(kMagic)) == 0;
}

Status verify_revision(const FileHeader& h) {
  if (h.revision == 0 || h.minimum_reader == 0 || h.minimum_reader > h.revision) {
    return Status::error(Code::kDamaged,
                         "header: found revision %u, minimum reader %u; expected 1 <= reader <= revision", h.revision,
                         h.minimum_reader);
  }
  if (h.minimum_reader > kRevision) {
    return Status::error(Code::kNewerRevision,
                         "the model has revision %u and needs a reader of revision %u; this library reads revision %u",
                         h.revision, h.minimum_reader, kRevision);
  }
  if ((h.required_features & ~kKnownFeatures) != 0) {
    return Status::error(Code::kUnsupported, "header: required features 0x%x, of which this library does not know 0x%x",
                         h.required_features, h.required_features & ~kKnownFeatures);
  }
  return {};
}

Status verify_sizes(const FileHeader& h, uint64_t size) {
  if (h.file_bytes != size) {
    return Status::error(Code::kDamaged, "file: found %llu bytes, expected %llu (truncated or padded)",
                         static_cast<unsigned long long>(size), static_cast<unsigned long long>(h.file_bytes));
  }
  if (h.model_offset != sizeof(FileHeader)) {
    return Status::error(Code::kDamaged, "header: found model offset %llu, expected 64",
                         static_cast<unsigned long long>(h.model_offset));
  }
  if (h.model_bytes > kMaxModelBytes || h.model_bytes > size - h.model_offset) {
    return Status::error(Code::kDamaged, "header: found a model description of %llu bytes in a file of %llu",
                         static_cast<unsigned long long>(h.model_bytes), static_cast<unsigned long long>(size));
  }
  if (h.payload_offset % kFileAlignment != 0 || h.payload_offset < h.model_offset + h.model_bytes) {
    return Status::error(Code::kDamaged, "header: found payload offset %llu, expected a multiple of 64 from %llu up",
                         static_cast<unsigned long long>(h.payload_offset),
                         static_cast<unsigned long long>(h.model_offset + h.model_bytes));
  }
  if (h.payload_offset > size || h.payload_bytes > size - h.payload_offset) {
    return Status::error(Code::kDamaged, "header: found a payload of %llu bytes at %llu in a file of %llu",
                         static_cast<unsigned long long>(h.payload_bytes),
                         static_cast<unsigned long long>(h.payload_offset), static_cast<unsigned long long>(size));
  }
  return {};
}

}  // namespace

Result<FileHeader> verify_header(std::span<const std::byte> file) {
  if (file.data() == nullptr) return Status::error(Code::kInvalidArgument, "model: found no bytes (a null pointer)");
  if (reinterpret_cast<uintptr_t>(file.data()) % kFileAlignment != 0) {
    return Status::error(Code::kInvalidArgument, "model: the bytes must start at an address that is a multiple of 64");
  }
  if (file.size() < sizeof(FileHeader)) {
    return Status::error(Code::kDamaged, "model: found %zu bytes, fewer than the 64 of a header", file.size());
  }
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  if (is_swapped_magic(header.magic) || header.byte_order == __builtin_bswap32(kByteOrder)) {
    return Status::error(Code::kUnsupported, "header: wrong byte order (the file and this machine disagree)");
  }
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return Status::error(Code::kDamaged, "not a Dragoman model: the file does not start with \"DRAGOMAN\"");
  }
  if (header.byte_order != kByteOrder) {
    return Status::error(Code::kDamaged, "header: found byte order mark 0x%08x, expected 0x%08x", header.byte_order,
                         kByteOrder);
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_revision(header));
  DRAGOMAN_RETURN_IF_ERROR(verify_sizes(header, file.size()));
  return header;
}

Result<const schema::Model*> verify_structure(std::span<const std::byte> file, const FileHeader& header) {
  const auto* start = reinterpret_cast<const uint8_t*>(file.data()) + header.model_offset;
  flatbuffers::Verifier::Options options;
  options.max_depth = kMaxDepth;
  options.max_tables = kMaxTables;
  flatbuffers::Verifier verifier(start, static_cast<size_t>(header.model_bytes), options);
  if (!schema::VerifyModelBuffer(verifier)) {
    return Status::error(Code::kDamaged, "the model description (%llu bytes at 64) is damaged",
                         static_cast<unsigned long long>(header.model_bytes));
  }
  return schema::GetModel(start);
}

Status verify_name(const char* kind, size_t index, const flatbuffers::String* name) {
  if (name == nullptr || name->size() == 0 || name->size() > kMaxNameBytes) {
    return Status::error(Code::kDamaged, "%s %zu: found a name of %u bytes, expected 1 to %zu", kind, index,
                         name == nullptr ? 0 : name->size(), kMaxNameBytes);
  }
  for (uint8_t c : *name) {
    if (c < 0x20 || c == 0x7f) {
      return Status::error(Code::kDamaged, "%s %zu: its name holds the control character 0x%02x", kind, index, c);
    }
  }
  return {};
}

}  // namespace dragoman::model
