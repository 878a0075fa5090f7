// What the pickle's calls and persistent ids mean.
// Neighbours: torch_views.h.
#include "converter/formats/torch_views.h"

#include <map>
#include <set>

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

// Finds the tensors in a pickled dictionary.
class StateReader {
 public:
  StateReader(const Pickle& pickle, const std::string& path) : pickle_(pickle), path_(path) {}

  Result<std::vector<TorchView>> views() {
    const PickleValue& root = pickle_.at(pickle_.root);
    if (root.kind != PickleKind::kDict) {
      return Status::error(Code::kUnsupported, "%s: holds no dictionary of tensors", path_.c_str());
    }
    std::vector<TorchView> views;
    std::set<std::string> names;
    for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
      const PickleValue& key = pickle_.at(root.items[i]);
      if (key.kind != PickleKind::kText) return damaged("", "a key that is no text");
      if (!names.insert(key.text).second) return damaged(key.text, "the name a second time");
      TorchView view;
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
  Status read_tensor(PickleId id, TorchView* view) const {
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

  Status read_storage(PickleId id, const std::string& name, TorchStorageKey* storage) const {
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

}  // namespace

std::span<const char* const> torch_globals() { return kAllowed; }

Result<std::vector<TorchView>> read_torch_views(const Pickle& pickle, const std::string& path) {
  return StateReader(pickle, path).views();
}

}  // namespace dragoman::converter
