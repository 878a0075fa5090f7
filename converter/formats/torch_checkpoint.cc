// What the pickles' calls and persistent ids mean: storages and views of them.
// Neighbours: torch_checkpoint.h.
#include "converter/formats/torch_checkpoint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "converter/formats/byte_cursor.h"
#include "converter/formats/pickle.h"
#include "converter/formats/zip_archive.h"

namespace dragoman::converter {
namespace {

constexpr const char* kAllowed[] = {
    "collections OrderedDict",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_tensor",
    "torch._utils _rebuild_parameter",
    "torch FloatStorage",
    "torch HalfStorage",
    "torch BFloat16Storage",
    "torch DoubleStorage",
    "torch CharStorage",
    "torch ByteStorage",
    "torch ShortStorage",
    "torch IntStorage",
    "torch LongStorage",
    "torch BoolStorage",
};
// The number that the older form begins with: 0x1950a86a20f9469cfc6c, little-endian.
constexpr unsigned char kLegacyMagic[] = {0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
constexpr int64_t kLegacyProtocol = 1001;

struct Storage {
  ArrayType type = ArrayType::kF32;
  std::string key;
  uint64_t elements = 0;
};

bool storage_type(const std::string& name, ArrayType* type) {
  static const std::map<std::string, ArrayType> kTypes = {
      {"torch FloatStorage", ArrayType::kF32},     {"torch HalfStorage", ArrayType::kF16},
      {"torch BFloat16Storage", ArrayType::kBF16}, {"torch DoubleStorage", ArrayType::kF64},
      {"torch CharStorage", ArrayType::kI8},       {"torch ByteStorage", ArrayType::kU8},
      {"torch ShortStorage", ArrayType::kI16},     {"torch IntStorage", ArrayType::kI32},
      {"torch LongStorage", ArrayType::kI64},      {"torch BoolStorage", ArrayType::kBool}};
  const auto at = kTypes.find(name);
  if (at != kTypes.end()) *type = at->second;
  return at != kTypes.end();
}

// A tensor whose storage is known by key only.
struct View {
  StoredArray array;
  Storage storage;
  uint64_t offset = 0;  // elements
};

// Finds the tensors in a pickled dictionary.
class StateReader {
 public:
  StateReader(const Pickle& pickle, const std::string& path) : pickle_(pickle), path_(path) {}

  Result<std::vector<View>> views() {
    const PickleValue& root = pickle_.at(pickle_.root);
    if (root.kind != PickleKind::kDict) {
      return Status::error(Code::kUnsupported, "%s: holds no dictionary of tensors", path_.c_str());
    }
    std::vector<View> views;
    std::set<std::string> names;
    for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
      const PickleValue& key = pickle_.at(root.items[i]);
      if (key.kind != PickleKind::kText) return damaged("", "a key that is no text");
      if (!names.insert(key.text).second) return damaged(key.text, "the name a second time");
      View view;
      view.array.name = key.text;
      DRAGOMAN_RETURN_IF_ERROR(read_tensor(root.items[i + 1], &view));
      views.push_back(std::move(view));
    }
    return views;
  }

 private:
  Status damaged(const std::string& name, const char* what) const {
    return Status::error(Code::kDamaged, "%s: tensor '%.80s': found %s", path_.c_str(), name.c_str(), what);
  }

  // A parameter is a tensor in one more call.
  Status read_tensor(PickleId id, View* view) const {
    const PickleValue* call = &pickle_.at(id);
    const std::string& name = view->array.name;
    if (call->kind == PickleKind::kCall && call->text == "torch._utils _rebuild_parameter" && !call->items.empty()) {
      call = &pickle_.at(call->items[0]);
    }
    const bool rebuilt = call->kind == PickleKind::kCall && call->text.starts_with("torch._utils _rebuild_tensor");
    if (!rebuilt || call->items.size() < 4) {
      return Status::error(Code::kUnsupported, "%s: entry '%.80s' is no tensor", path_.c_str(), name.c_str());
    }
    DRAGOMAN_RETURN_IF_ERROR(read_storage(call->items[0], name, &view->storage));
    const PickleValue& offset = pickle_.at(call->items[1]);
    if (offset.kind != PickleKind::kInteger || offset.integer < 0 || !offset.text.empty()) {
      return damaged(name, "an offset that is no number");
    }
    view->offset = static_cast<uint64_t>(offset.integer);
    view->array.type = view->storage.type;
    if (!numbers(call->items[2], &view->array.shape) || !numbers(call->items[3], &view->array.strides) ||
        view->array.shape.size() != view->array.strides.size()) {
      return damaged(name, "a shape or strides that are no lists of numbers");
    }
    return Status();
  }

  Status read_storage(PickleId id, const std::string& name, Storage* storage) const {
    const PickleValue& value = pickle_.at(id);
    const PickleValue* tuple = value.kind == PickleKind::kPersistent ? &pickle_.at(value.items[0]) : nullptr;
    if (tuple == nullptr || tuple->kind != PickleKind::kTuple || tuple->items.size() < 5 ||
        pickle_.at(tuple->items[0]).text != "storage") {
      return damaged(name, "no storage");
    }
    const PickleValue& type = pickle_.at(tuple->items[1]);
    const PickleValue& key = pickle_.at(tuple->items[2]);
    const PickleValue& elements = pickle_.at(tuple->items[4]);
    if (type.kind != PickleKind::kGlobal || !storage_type(type.text, &storage->type)) {
      return damaged(name, "a storage of unknown type");
    }
    if (key.kind != PickleKind::kText || elements.kind != PickleKind::kInteger || elements.integer < 0) {
      return damaged(name, "a storage without key or size");
    }
    if (tuple->items.size() > 5 && pickle_.at(tuple->items[5]).kind != PickleKind::kNone) {
      return Status::error(Code::kUnsupported, "%s: tensor '%.80s': its storage is a view of another one",
                           path_.c_str(), name.c_str());
    }
    storage->key = key.text;
    storage->elements = static_cast<uint64_t>(elements.integer);
    return Status();
  }

  bool numbers(PickleId id, std::vector<uint64_t>* out) const {
    const PickleValue& list = pickle_.at(id);
    if (list.kind != PickleKind::kTuple && list.kind != PickleKind::kList) return false;
    for (const PickleId item : list.items) {
      const PickleValue& number = pickle_.at(item);
      if (number.kind != PickleKind::kInteger || number.integer < 0 || !number.text.empty()) return false;
      out->push_back(static_cast<uint64_t>(number.integer));
    }
    return out->size() <= 8;
  }

  const Pickle& pickle_;
  const std::string& path_;
};

// Gives a view the bytes of its storage.
Status bind(View* view, std::span<const std::byte> bytes, const std::string& path) {
  StoredArray& array = view->array;
  const uint64_t element = array_element_bytes(view->storage.type);
  uint64_t elements = 0;
  const bool fits = view->storage.elements <= bytes.size() / element && checked_elements(array.shape, &elements) &&
                    within_storage(array.shape, array.strides, view->offset, view->storage.elements);
  if (!fits) {
    return Status::error(Code::kDamaged, "%s: tensor '%.80s' reaches outside its storage of %zu bytes", path.c_str(),
                         array.name.c_str(), bytes.size());
  }
  array.data = bytes.subspan(static_cast<size_t>(view->offset * element));
  if (array.contiguous()) {
    array.strides.clear();
    array.data = array.data.first(static_cast<size_t>(elements * element));
  }
  return Status();
}

std::vector<StoredArray> sorted(std::vector<View> views) {
  std::vector<StoredArray> arrays;
  arrays.reserve(views.size());
  for (View& view : views) arrays.push_back(std::move(view.array));
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
  const Result<Pickle> pickle = read_pickle(pickled.bytes, kAllowed);
  if (!pickle.ok()) return prefixed(pickle.status(), path);
  DRAGOMAN_ASSIGN_OR_RETURN(std::vector<View> views, StateReader(pickle.value(), path).views());
  std::map<std::string, ZipContents> storages;
  for (View& view : views) {
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
    DRAGOMAN_ASSIGN_OR_RETURN(std::vector<View> views, StateReader(state, path_).views());
    DRAGOMAN_ASSIGN_OR_RETURN(const Pickle keys, next());
    DRAGOMAN_RETURN_IF_ERROR(read_storages(keys, views));
    for (View& view : views) {
      const auto at = storages_.find(view.storage.key);
      if (at == storages_.end()) {
        return Status::error(Code::kDamaged, "%s: tensor '%.80s': no storage '%.40s'", path_.c_str(),
                             view.array.name.c_str(), view.storage.key.c_str());
      }
      DRAGOMAN_RETURN_IF_ERROR(bind(&view, at->second, path_));
    }
    return sorted(std::move(views));
  }

 private:
  Result<Pickle> next() {
    Result<Pickle> pickle = read_pickle(file_.subspan(cursor_.position()), kAllowed);
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

  Status read_storages(const Pickle& keys, const std::vector<View>& views) {
    std::map<std::string, ArrayType> types;
    for (const View& view : views) types[view.storage.key] = view.storage.type;
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
