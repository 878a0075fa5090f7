// Opcodes as in Python's pickletools; the stack holds indices into one growing list of values.
// Neighbours: pickle.h.
#include "converter/formats/pickle.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "converter/formats/byte_cursor.h"
#include "converter/formats/pickle_opcodes.h"

namespace dragoman::converter {
namespace {

constexpr size_t kMaxArguments = 16;

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, std::span<const char* const> allowed) : cursor_(bytes), allowed_(allowed) {}

  Result<Pickle> run() {
    while (!stopped_) {
      uint8_t opcode = 0;
      if (!cursor_.read(&opcode)) return damaged("it ends before its STOP");
      DRAGOMAN_RETURN_IF_ERROR(step(opcode));
    }
    pickle_.bytes = cursor_.position();
    return std::move(pickle_);
  }

 private:
  Status damaged(const char* what) const {
    return Status::error(Code::kDamaged, "pickle, byte %zu: %s", cursor_.position(), what);
  }

  // ---- values -------------------------------------------------------------------------------------------------------

  PickleId add(PickleValue value) {
    pickle_.values.push_back(std::move(value));
    return static_cast<PickleId>(pickle_.values.size() - 1);
  }
  Status push(PickleValue value) {
    stack_.push_back(add(std::move(value)));
    return Status();
  }
  Status push_integer(PickleKind kind, int64_t integer) {
    PickleValue value;
    value.kind = kind;
    value.integer = integer;
    return push(std::move(value));
  }
  // How many values lie above the topmost mark.
  size_t above_mark() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  bool pop(PickleId* id) {
    if (above_mark() == 0) return false;
    *id = stack_.back();
    stack_.pop_back();
    return true;
  }
  // Takes everything above the topmost mark, and the mark.
  bool pop_to_mark(std::vector<PickleId>* items) {
    if (marks_.empty()) return false;
    items->assign(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return true;
  }

  // ---- opcodes ------------------------------------------------------------------------------------------------------

  Status step(uint8_t opcode) {
    switch (opcode) {
      case kStop: return stop();
      case kMark: marks_.push_back(stack_.size()); return Status();
      case kNone: return push({});
      case kNewTrue: return push_integer(PickleKind::kBool, 1);
      case kNewFalse: return push_integer(PickleKind::kBool, 0);
      case kBinInt: return integer<int32_t>();
      case kBinInt1: return integer<uint8_t>();
      case kBinInt2: return integer<uint16_t>();
      case kLong1: return long_integer();
      case kBinFloat: return skip_then_push<8>(PickleKind::kFloat);
      case kShortBinUnicode:
      case kShortBinString: return text<uint8_t>();
      case kBinUnicode:
      case kBinString: return text<uint32_t>();
      case kBinUnicode8: return text<uint64_t>();
      case kProto: return skip(1);
      case kFrame: return skip(8);
      default: return step_container(opcode);
    }
  }

  Status step_container(uint8_t opcode) {
    switch (opcode) {
      case kEmptyList: return push({PickleKind::kList, 0, {}, {}});
      case kEmptyDict: return push({PickleKind::kDict, 0, {}, {}});
      case kEmptyTuple: return push({PickleKind::kTuple, 0, {}, {}});
      case kTuple1: return tuple(1);
      case kTuple2: return tuple(2);
      case kTuple3: return tuple(3);
      case kTuple: return from_mark(PickleKind::kTuple);
      case kList: return from_mark(PickleKind::kList);
      case kDict: return from_mark(PickleKind::kDict);
      case kAppend: return extend(PickleKind::kList, 1);
      case kSetItem: return extend(PickleKind::kDict, 2);
      case kAppends: return extend_from_mark(PickleKind::kList);
      case kSetItems: return extend_from_mark(PickleKind::kDict);
      default: return step_reference(opcode);
    }
  }

  Status step_reference(uint8_t opcode) {
    PickleId id = 0;
    std::vector<PickleId> dropped;
    switch (opcode) {
      case kPop: return pop(&id) ? Status() : damaged("nothing to take from the stack");
      case kPopMark: return pop_to_mark(&dropped) ? Status() : damaged("no mark on the stack");
      case kDup:
        if (above_mark() == 0) return damaged("nothing to take from the stack");
        stack_.push_back(stack_.back());
        return Status();
      case kBinPut: return put<uint8_t>();
      case kLongBinPut: return put<uint32_t>();
      case kMemoize: return remember(static_cast<uint32_t>(memo_.size()));
      case kBinGet: return get<uint8_t>();
      case kLongBinGet: return get<uint32_t>();
      case kGlobal: return global();
      case kStackGlobal: return stack_global();
      case kReduce: return reduce();
      case kBuild: return build();
      case kBinPersId: return persistent();
      default: break;
    }
    return Status::error(Code::kUnsupported, "pickle, byte %zu: opcode 0x%02x is not part of a tensor file",
                         cursor_.position() - 1, opcode);
  }

  Status stop() {
    if (stack_.size() != 1 || !marks_.empty()) return damaged("STOP with other than one value on the stack");
    pickle_.root = stack_.back();
    stopped_ = true;
    return Status();
  }

  Status skip(uint64_t count) { return cursor_.skip(count) ? Status() : damaged("it is cut short"); }

  template <uint64_t kBytes>
  Status skip_then_push(PickleKind kind) {
    DRAGOMAN_RETURN_IF_ERROR(skip(kBytes));
    return push({kind, 0, {}, {}});
  }

  template <typename T>
  Status integer() {
    T value = 0;
    if (!cursor_.read(&value)) return damaged("it is cut short");
    return push_integer(PickleKind::kInteger, value);
  }

  Status long_integer() {
    uint8_t length = 0;
    std::span<const std::byte> bytes;
    if (!cursor_.read(&length) || !cursor_.take(length, &bytes)) return damaged("it is cut short");
    PickleValue value;
    value.kind = PickleKind::kInteger;
    if (length > sizeof(int64_t)) value.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (length > 0 && length <= sizeof(int64_t)) {
      const bool negative = (std::to_integer<uint8_t>(bytes.back()) & 0x80) != 0;
      std::memset(&value.integer, negative ? 0xff : 0, sizeof(int64_t));
      std::memcpy(&value.integer, bytes.data(), length);
    }
    return push(std::move(value));
  }

  template <typename Length>
  Status text() {
    Length length = 0;
    std::span<const std::byte> bytes;
    if (!cursor_.read(&length) || !cursor_.take(length, &bytes)) return damaged("it is cut short");
    PickleValue value;
    value.kind = PickleKind::kText;
    value.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return push(std::move(value));
  }

  Status tuple(size_t count) {
    if (above_mark() < count) return damaged("nothing to take from the stack");
    PickleValue value;
    value.kind = PickleKind::kTuple;
    value.items.assign(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return push(std::move(value));
  }

  Status from_mark(PickleKind kind) {
    PickleValue value;
    value.kind = kind;
    if (!pop_to_mark(&value.items)) return damaged("no mark on the stack");
    if (kind == PickleKind::kDict && value.items.size() % 2 != 0) return damaged("a key without a value");
    return push(std::move(value));
  }

  // Appends to the container on top of the stack. An ordered dictionary is a call without arguments.
  Status append(PickleKind kind, const std::vector<PickleId>& items) {
    if (above_mark() == 0) return damaged("nothing to take from the stack");
    PickleValue& container = pickle_.values[stack_.back()];
    const bool fits = container.kind == kind;
    if (!fits || (kind == PickleKind::kDict && items.size() % 2 != 0)) return damaged("items for another container");
    container.items.insert(container.items.end(), items.begin(), items.end());
    return Status();
  }

  Status extend(PickleKind kind, size_t count) {
    if (above_mark() < count) return damaged("nothing to take from the stack");
    const std::vector<PickleId> items(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return append(kind, items);
  }

  Status extend_from_mark(PickleKind kind) {
    std::vector<PickleId> items;
    if (!pop_to_mark(&items)) return damaged("no mark on the stack");
    return append(kind, items);
  }

  Status remember(uint32_t slot) {
    if (above_mark() == 0) return damaged("nothing to take from the stack");
    memo_[slot] = stack_.back();
    return Status();
  }

  template <typename Slot>
  Status put() {
    Slot slot = 0;
    if (!cursor_.read(&slot)) return damaged("it is cut short");
    return remember(slot);
  }

  template <typename Slot>
  Status get() {
    Slot slot = 0;
    if (!cursor_.read(&slot)) return damaged("it is cut short");
    const auto at = memo_.find(slot);
    if (at == memo_.end()) return damaged("it asks for a value that it never kept");
    stack_.push_back(at->second);
    return Status();
  }

  Status push_global(const std::string& name) {
    const bool known = std::any_of(allowed_.begin(), allowed_.end(), [&](const char* other) { return name == other; });
    if (!known) {
      return Status::error(Code::kUnsupported, "pickle: '%.120s' is not allowed in a tensor file; nothing was run",
                           name.c_str());
    }
    return push({PickleKind::kGlobal, 0, name, {}});
  }

  bool line(std::string* out) {
    for (uint8_t byte = 0; cursor_.read(&byte);) {
      if (byte == '\n') return true;
      out->push_back(static_cast<char>(byte));
    }
    return false;
  }

  Status global() {
    std::string module, name;
    if (!line(&module) || !line(&name)) return damaged("it is cut short");
    return push_global(module + " " + name);
  }

  Status stack_global() {
    PickleId name = 0, module = 0;
    if (!pop(&name) || !pop(&module)) return damaged("nothing to take from the stack");
    if (pickle_.at(name).kind != PickleKind::kText || pickle_.at(module).kind != PickleKind::kText) {
      return damaged("a global whose name is no text");
    }
    return push_global(pickle_.at(module).text + " " + pickle_.at(name).text);
  }

  Status reduce() {
    PickleId arguments = 0, callee = 0;
    if (!pop(&arguments) || !pop(&callee)) return damaged("nothing to take from the stack");
    if (pickle_.at(callee).kind != PickleKind::kGlobal || pickle_.at(arguments).kind != PickleKind::kTuple) {
      return damaged("a call of something that is no global");
    }
    // A tensor's call has six; without a bound, copying one long tuple again and again would outgrow the file.
    if (pickle_.at(arguments).items.size() > kMaxArguments) return damaged("a call of too many arguments");
    PickleValue value;
    value.kind = pickle_.at(callee).text == "collections OrderedDict" ? PickleKind::kDict : PickleKind::kCall;
    value.text = pickle_.at(callee).text;
    value.items = pickle_.at(arguments).items;
    if (value.kind == PickleKind::kDict && !value.items.empty()) return damaged("a dictionary made of arguments");
    return push(std::move(value));
  }

  // Attributes (a state dictionary's version notes) have no meaning here.
  Status build() {
    PickleId state = 0;
    if (!pop(&state) || above_mark() == 0) return damaged("nothing to take from the stack");
    const PickleKind kind = pickle_.at(stack_.back()).kind;
    return kind == PickleKind::kDict ? Status() : damaged("attributes of something that has none");
  }

  Status persistent() {
    PickleId id = 0;
    if (!pop(&id)) return damaged("nothing to take from the stack");
    return push({PickleKind::kPersistent, 0, {}, {id}});
  }

  ByteCursor cursor_;
  std::span<const char* const> allowed_;
  Pickle pickle_;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, PickleId> memo_;
  bool stopped_ = false;
};

}  // namespace

Result<Pickle> read_pickle(std::span<const std::byte> bytes, std::span<const char* const> allowed) {
  return Machine(bytes, allowed).run();
}

}  // namespace dragoman::converter
