// Numbers are little-endian; a name is u16 length, closing NUL counted, and bytes.
// Neighbours: ctranslate2_model.h.
#include "converter/formats/ctranslate2_model.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "converter/formats/byte_cursor.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kOldest = 4, kNewest = 6;
constexpr size_t kMaxDimensions = 8;
constexpr ArrayType kTypes[] = {ArrayType::kF32, ArrayType::kI8,  ArrayType::kI16,
                                ArrayType::kI32, ArrayType::kF16, ArrayType::kBF16};

bool read_name(ByteCursor& cursor, std::string* name) {
  uint16_t length = 0;
  std::span<const std::byte> bytes;
  if (!cursor.read(&length) || length == 0 || !cursor.take(length, &bytes)) return false;
  name->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1);
  return bytes.back() == std::byte{0} && name->find('\0') == std::string::npos;
}

Status read_variable(ByteCursor& cursor, StoredArray* variable) {
  const auto damaged = [&](const char* what) {
    return Status::error(Code::kDamaged, "variable '%.80s': %s", variable->name.c_str(), what);
  };
  uint8_t rank = 0, type = 0;
  uint32_t bytes = 0;
  if (!read_name(cursor, &variable->name)) return damaged("its name is damaged");
  if (!cursor.read(&rank) || rank > kMaxDimensions) return damaged("too many dimensions, or the file ends");
  for (uint8_t axis = 0; axis < rank; ++axis) {
    uint32_t dimension = 0;
    if (!cursor.read(&dimension)) return damaged("the file ends in its shape");
    variable->shape.push_back(dimension);
  }
  if (!cursor.read(&type) || !cursor.read(&bytes)) return damaged("the file ends in its header");
  if (type >= std::size(kTypes)) return damaged("element type is unknown");
  variable->type = kTypes[type];
  uint64_t elements = 0;
  if (!checked_elements(variable->shape, &elements)) return damaged("shape has more elements than any file can hold");
  if (bytes != elements * array_element_bytes(variable->type))
    return damaged("its shape needs another number of bytes");
  return cursor.take(bytes, &variable->data) ? Status() : damaged("the file ends in its data");
}

Status read_all(ByteCursor& cursor, CTranslate2Model* model) {
  uint32_t version = 0, count = 0;
  if (!cursor.read(&version)) return Status::error(Code::kDamaged, "not a CTranslate2 model");
  if (version < kOldest || version > kNewest) {
    return Status::error(Code::kUnsupported, "binary version %u, expected %u to %u", version, kOldest, kNewest);
  }
  if (!read_name(cursor, &model->spec) || !cursor.read(&model->revision) || !cursor.read(&count) ||
      count > cursor.remaining()) {
    return Status::error(Code::kDamaged, "its header is damaged");
  }
  std::set<std::string> names;
  for (uint32_t i = 0; i < count; ++i) {
    StoredArray variable;
    DRAGOMAN_RETURN_IF_ERROR(read_variable(cursor, &variable));
    if (!names.insert(variable.name).second) {
      return Status::error(Code::kDamaged, "variable '%.80s' stands there twice", variable.name.c_str());
    }
    model->variables.push_back(std::move(variable));
  }
  if (!cursor.read(&count)) return Status::error(Code::kDamaged, "the file ends before its aliases");
  for (uint32_t i = 0; i < count; ++i) {
    std::string alias, name;
    if (!read_name(cursor, &alias) || !read_name(cursor, &name)) {
      return Status::error(Code::kDamaged, "alias %u is damaged", i);
    }
    if (!names.contains(name) || !names.insert(alias).second) {
      return Status::error(Code::kDamaged, "alias '%.80s' is no new name of a variable", alias.c_str());
    }
    model->aliases[alias] = name;
  }
  if (cursor.remaining() == 0) return Status();
  return Status::error(Code::kDamaged, "%zu bytes after the end", cursor.remaining());
}

}  // namespace

bool looks_like_ctranslate2(std::span<const std::byte> file) {
  ByteCursor cursor(file);
  uint32_t version = 0;
  std::string spec;
  return cursor.read(&version) && version >= 1 && version <= 64 && read_name(cursor, &spec) && spec.ends_with("Spec");
}

Result<CTranslate2Model> read_ctranslate2_model(std::span<const std::byte> file, const std::string& path) {
  ByteCursor cursor(file);
  CTranslate2Model model;
  const Status status = read_all(cursor, &model);
  if (!status.ok()) return Status::error(status.code(), "%s: %s", path.c_str(), status.message());
  std::sort(model.variables.begin(), model.variables.end(),
            [](const StoredArray& a, const StoredArray& b) { return a.name < b.name; });
  return model;
}

}  // namespace dragoman::converter
