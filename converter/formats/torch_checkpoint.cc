// Storages of both forms of the file, and the bytes of every view into them.
// Neighbours: torch_checkpoint.h.
#include "converter/formats/torch_checkpoint.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "converter/formats/byte_cursor.h"
#include "converter/formats/pickle.h"
#include "converter/formats/torch_views.h"
#include "converter/formats/zip_archive.h"

namespace dragoman::converter {
namespace {

// The number that the older form begins with: 0x1950a86a20f9469cfc6c, little-endian.
constexpr unsigned char kLegacyMagic[] = {0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
constexpr int64_t kLegacyProtocol = 1001;
constexpr uint64_t kMaxRepeated = 4096;
constexpr uint64_t kFreeCopies = uint64_t{1} << 20;

// Gives a view the bytes of its storage.
Status bind(TorchView* view, std::span<const std::byte> bytes, const std::string& path) {
  StoredArray& array = view->array;
  const uint64_t element = array_element_bytes(view->storage.type);
  uint64_t elements = 0;
  const bool fits = view->storage.elements <= bytes.size() / element && checked_elements(array.shape, &elements) &&
                    within_storage(array.shape, array.strides, view->offset, view->storage.elements);
  if (!fits) {
    return Status::error(Code::kDamaged, "%s: tensor '%.80s' reaches outside its storage of %zu bytes", path.c_str(),
                         array.name.c_str(), bytes.size());
  }
  // A stride of zero repeats elements, and a few bytes must not become gigabytes.
  if (elements > view->storage.elements && elements > kMaxRepeated) {
    return Status::error(Code::kUnsupported, "%s: tensor '%.80s' repeats the elements of its storage", path.c_str(),
                         array.name.c_str());
  }
  array.data = bytes.subspan(static_cast<size_t>(view->offset * element));
  if (array.contiguous()) {
    array.strides.clear();
    array.data = array.data.first(static_cast<size_t>(elements * element));
  }
  return Status();
}

// Views that do not lie in order are copied into order. Many of them over one storage would multiply it.
Status check_copies(const std::vector<TorchView>& views, size_t file_bytes, const std::string& path) {
  uint64_t copied = 0;
  for (const TorchView& view : views) {
    const StoredArray& array = view.array;
    const bool stays = array.strides.empty() ||
                       (array.shape.size() == 2 && array.strides[0] == 1 && array.strides[1] == array.shape[0]);
    uint64_t elements = 0;
    if (stays || !checked_elements(array.shape, &elements)) continue;
    copied += elements * array_element_bytes(array.type);
    if (copied > kFreeCopies + uint64_t{2} * file_bytes) {
      return Status::error(Code::kLimit, "%s: tensor '%.80s': too many views of one storage that are not in order",
                           path.c_str(), array.name.c_str());
    }
  }
  return Status();
}

std::vector<StoredArray> sorted(std::vector<TorchView> views) {
  std::vector<StoredArray> arrays;
  arrays.reserve(views.size());
  for (TorchView& view : views) arrays.push_back(std::move(view.array));
  std::sort(arrays.begin(), arrays.end(), [](const StoredArray& a, const StoredArray& b) { return a.name < b.name; });
  return arrays;
}

Status prefixed(const Status& status, const std::string& path) {
  return Status::error(status.code(), "%s: %s", path.c_str(), status.message());
}

Result<std::vector<StoredArray>> read_zip(std::span<const std::byte> file, const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const ZipArchive archive, ZipArchive::open(file, path));
  std::string folder;
  for (const ZipEntry& entry : archive.entries()) {
    if (entry.name.ends_with("/data.pkl")) folder = entry.name.substr(0, entry.name.size() - 8);
  }
  const ZipEntry* description = archive.find(folder + "data.pkl");
  if (description == nullptr) {
    return Status::error(Code::kUnsupported, "%s: no data.pkl in it: not a PyTorch checkpoint", path.c_str());
  }
  if (const ZipEntry* order = archive.find(folder + "byteorder"); order != nullptr) {
    DRAGOMAN_ASSIGN_OR_RETURN(const ZipContents text, archive.read(*order));
    if (text.bytes.size() != 6 || std::memcmp(text.bytes.data(), "little", 6) != 0) {
      return Status::error(Code::kUnsupported, "%s: written in another byte order", path.c_str());
    }
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const ZipContents pickled, archive.read(*description));
  const Result<Pickle> pickle = read_pickle(pickled.bytes, torch_globals());
  if (!pickle.ok()) return prefixed(pickle.status(), path);
  DRAGOMAN_ASSIGN_OR_RETURN(std::vector<TorchView> views, read_torch_views(pickle.value(), path));
  std::map<std::string, ZipContents> storages;
  for (TorchView& view : views) {
    const ZipEntry* entry = archive.find(folder + "data/" + view.storage.key);
    if (entry == nullptr) {
      return Status::error(Code::kDamaged, "%s: tensor '%.80s': no storage '%.40s'", path.c_str(),
                           view.array.name.c_str(), view.storage.key.c_str());
    }
    if (!storages.contains(view.storage.key)) {
      DRAGOMAN_ASSIGN_OR_RETURN(storages[view.storage.key], archive.read(*entry));
    }
    const ZipContents& storage = storages[view.storage.key];
    view.array.owner = storage.owner;
    DRAGOMAN_RETURN_IF_ERROR(bind(&view, storage.bytes, path));
  }
  DRAGOMAN_RETURN_IF_ERROR(check_copies(views, file.size(), path));
  return sorted(std::move(views));
}

// The older form: magic number, protocol, system facts, dictionary, storage keys; then each storage.
class LegacyReader {
 public:
  LegacyReader(std::span<const std::byte> file, const std::string& path) : cursor_(file), file_(file), path_(path) {}

  Result<std::vector<StoredArray>> read() {
    DRAGOMAN_ASSIGN_OR_RETURN(const Pickle magic, next());
    const std::string& number = magic.at(magic.root).text;
    if (number.size() != sizeof(kLegacyMagic) || std::memcmp(number.data(), kLegacyMagic, number.size()) != 0) {
      return Status::error(Code::kUnsupported, "%s: not a PyTorch checkpoint", path_.c_str());
    }
    DRAGOMAN_ASSIGN_OR_RETURN(const Pickle protocol, next());
    if (protocol.at(protocol.root).integer != kLegacyProtocol) {
      return Status::error(Code::kUnsupported, "%s: unknown checkpoint protocol", path_.c_str());
    }
    DRAGOMAN_ASSIGN_OR_RETURN(const Pickle system, next());
    DRAGOMAN_RETURN_IF_ERROR(check_byte_order(system));
    DRAGOMAN_ASSIGN_OR_RETURN(const Pickle state, next());
    DRAGOMAN_ASSIGN_OR_RETURN(std::vector<TorchView> views, read_torch_views(state, path_));
    DRAGOMAN_ASSIGN_OR_RETURN(const Pickle keys, next());
    DRAGOMAN_RETURN_IF_ERROR(read_storages(keys, views));
    for (TorchView& view : views) {
      const auto at = storages_.find(view.storage.key);
      if (at == storages_.end()) {
        return Status::error(Code::kDamaged, "%s: tensor '%.80s': no storage '%.40s'", path_.c_str(),
                             view.array.name.c_str(), view.storage.key.c_str());
      }
      DRAGOMAN_RETURN_IF_ERROR(bind(&view, at->second, path_));
    }
    DRAGOMAN_RETURN_IF_ERROR(check_copies(views, file_.size(), path_));
    return sorted(std::move(views));
  }

 private:
  Result<Pickle> next() {
    Result<Pickle> pickle = read_pickle(file_.subspan(cursor_.position()), torch_globals());
    if (!pickle.ok()) return prefixed(pickle.status(), path_);
    cursor_.skip(pickle.value().bytes);
    return pickle;
  }

  Status check_byte_order(const Pickle& system) const {
    const PickleValue& facts = system.at(system.root);
    for (size_t i = 0; i + 1 < facts.items.size(); i += 2) {
      if (system.at(facts.items[i]).text == "little_endian" && system.at(facts.items[i + 1]).integer != 1) {
        return Status::error(Code::kUnsupported, "%s: written in another byte order", path_.c_str());
      }
    }
    return Status();
  }

  Status read_storages(const Pickle& keys, const std::vector<TorchView>& views) {
    std::map<std::string, ArrayType> types;
    for (const TorchView& view : views) types[view.storage.key] = view.storage.type;
    for (const PickleId id : keys.at(keys.root).items) {
      const std::string& key = keys.at(id).text;
      const auto type = types.find(key);
      uint64_t elements = 0;
      std::span<const std::byte> bytes;
      // The size of a storage that nobody uses is unknown, and with it where the next one begins.
      const bool known = type != types.end() && cursor_.read(&elements) && elements <= cursor_.remaining();
      if (!known || !cursor_.take(elements * array_element_bytes(type->second), &bytes)) {
        return Status::error(Code::kDamaged, "%s: storage '%.40s' is cut short or belongs to no tensor", path_.c_str(),
                             key.c_str());
      }
      storages_[key] = bytes;
    }
    return Status();
  }

  ByteCursor cursor_;
  std::span<const std::byte> file_;
  const std::string& path_;
  std::map<std::string, std::span<const std::byte>> storages_;
};

}  // namespace

Result<std::vector<StoredArray>> read_torch_checkpoint(std::span<const std::byte> file, const std::string& path) {
  return looks_like_zip(file) ? read_zip(file, path) : LegacyReader(file, path).read();
}

}  // namespace dragoman::converter
