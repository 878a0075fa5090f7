// A pickle interpreter that builds plain values and knows a handful of names; any other name is refused, none is run.
// Neighbours: torch_checkpoint gives the values their meaning as tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// kGlobal is an allowed name; kCall is an allowed name applied to arguments; kPersistent is what the pickle leaves to
// its container.
enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInteger,
  kFloat,
  kText,
  kTuple,
  kList,
  kDict,
  kGlobal,
  kCall,
  kPersistent
};

// Index of a value in its Pickle.
using PickleId = uint32_t;

struct PickleValue {
  PickleKind kind = PickleKind::kNone;
  int64_t integer = 0;          // kBool, kInteger (whose value fits)
  std::string text;             // kText; kGlobal, kCall: "module name"; kInteger that does not fit: its bytes
  std::vector<PickleId> items;  // elements; kDict: key, value, key, value …; kCall: arguments; kPersistent: one
};

// Values refer to each other by index: cycles and deep nesting are harmless.
struct Pickle {
  std::vector<PickleValue> values;
  PickleId root = 0;
  size_t bytes = 0;  // read, STOP included

  const PickleValue& at(PickleId id) const { return values[id]; }
};

// Reads one pickle (protocols 0 to 5, binary opcodes) from the front of `bytes`. `allowed` lists "module name" of every
// global that may appear. Errors: kUnsupported naming any other global or an opcode outside the subset; kDamaged.
// Memory and time grow with the bytes read only.
Result<Pickle> read_pickle(std::span<const std::byte> bytes, std::span<const char* const> allowed);

}  // namespace dragoman::converter
