// Opcodes as in Python's pickletools, protocol 2.
#include "tests/support/make_torch_checkpoint.h"

#include <cstring>

#include "tests/support/make_zip.h"

namespace dragoman::test {
namespace {

class Pickler {
 public:
  Pickler() : text_("\x80\x02") {}

  Pickler& raw(const std::string& opcodes) {
    text_ += opcodes;
    return *this;
  }
  Pickler& global(const std::string& module, const std::string& name) { return raw("c" + module + "\n" + name + "\n"); }
  Pickler& text(const std::string& value) {
    const auto length = static_cast<uint32_t>(value.size());
    return raw("X").little(length).raw(value);
  }
  Pickler& number(uint64_t value) { return raw("J").little(static_cast<uint32_t>(value)); }
  Pickler& numbers(const std::vector<uint64_t>& values) {
    raw("(");
    for (const uint64_t value : values) number(value);
    return raw("t");
  }
  std::string finish() { return text_ + "."; }

 private:
  Pickler& little(uint32_t value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    return raw(std::string(bytes, sizeof(value)));
  }

  std::string text_;
};

std::string state_pickle(const std::vector<TorchStorage>& storages, const std::vector<TorchView>& views, bool legacy) {
  Pickler out;
  out.global("collections", "OrderedDict").raw(")R(");
  for (const TorchView& view : views) {
    const TorchStorage& storage = storages[view.storage];
    out.text(view.name);
    if (view.parameter) out.global("torch._utils", "_rebuild_parameter").raw("(");
    out.global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
    out.global("torch", storage.type + "Storage").text(std::to_string(view.storage)).text("cpu");
    out.number(storage.elements).raw(legacy ? "NtQ" : "tQ");
    out.number(view.offset).numbers(view.shape).numbers(view.strides).raw("\x89");
    out.global("collections", "OrderedDict").raw(")RtR");
    if (view.parameter) out.raw("\x88").global("collections", "OrderedDict").raw(")RtR");
  }
  return out.raw("u").finish();
}

}  // namespace

std::vector<std::byte> torch_checkpoint(const std::vector<TorchStorage>& storages, const std::vector<TorchView>& views,
                                        bool legacy) {
  const std::string state = state_pickle(storages, views, legacy);
  if (!legacy) {
    std::vector<ZipMember> members;
    members.push_back({"archive/data.pkl", bytes_of_text(state)});
    members.push_back({"archive/byteorder", bytes_of_text("little")});
    for (size_t i = 0; i < storages.size(); ++i) {
      members.push_back({"archive/data/" + std::to_string(i), storages[i].bytes});
    }
    members.push_back({"archive/version", bytes_of_text("3\n")});
    return zip_file(members);
  }
  Pickler system, keys;
  system.raw("}(").text("little_endian").raw("\x88u");
  keys.raw("](");
  for (size_t i = 0; i < storages.size(); ++i) keys.text(std::to_string(i));
  const std::string magic = std::string("\x80\x02\x8a\x0a", 4) + "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  std::string file = magic + Pickler().number(1001).finish() + system.finish() + state + keys.raw("e").finish();
  for (const TorchStorage& storage : storages) {
    file.append(reinterpret_cast<const char*>(&storage.elements), sizeof(storage.elements));
    file.append(reinterpret_cast<const char*>(storage.bytes.data()), storage.bytes.size());
  }
  return bytes_of_text(file);
}

}  // namespace dragoman::test
