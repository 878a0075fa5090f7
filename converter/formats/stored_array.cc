// Sizes and bounds of stored arrays.
// Neighbours: stored_array.h.
#include "converter/formats/stored_array.h"

#include <algorithm>

namespace dragoman::converter {
namespace {

constexpr uint64_t kMaxElements = uint64_t{1} << 60;

}  // namespace

uint64_t array_element_bytes(ArrayType type) {
  switch (type) {
    case ArrayType::kF64:
    case ArrayType::kI64: return 8;
    case ArrayType::kF32:
    case ArrayType::kI32: return 4;
    case ArrayType::kF16:
    case ArrayType::kBF16:
    case ArrayType::kI16: return 2;
    case ArrayType::kI8:
    case ArrayType::kU8:
    case ArrayType::kBool: return 1;
  }
  return 1;
}

const char* array_type_name(ArrayType type) {
  static constexpr const char* kNames[] = {"F32", "F16", "BF16", "F64", "I8", "U8", "I16", "I32", "I64", "BOOL"};
  return kNames[static_cast<size_t>(type)];
}

bool StoredArray::contiguous() const {
  uint64_t expected = 1;
  for (size_t axis = strides.size(); axis > 0; --axis) {
    if (shape[axis - 1] != 1 && strides[axis - 1] != expected) return false;
    expected *= shape[axis - 1];
  }
  return true;
}

bool checked_elements(const std::vector<uint64_t>& shape, uint64_t* elements) {
  // A zero hides the size of the other dimensions, so every product is checked as if it were one.
  uint64_t bound = 1, product = 1;
  for (const uint64_t dimension : shape) {
    const uint64_t factor = std::max<uint64_t>(dimension, 1);
    if (factor > kMaxElements || bound > kMaxElements / factor) return false;
    bound *= factor;
    product *= dimension;
  }
  *elements = product;
  return true;
}

bool within_storage(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& strides, uint64_t offset,
                    uint64_t count) {
  uint64_t last = offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return offset <= count;
    uint64_t reach = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach)) return false;
    if (__builtin_add_overflow(last, reach, &last)) return false;
  }
  return last < count;
}

}  // namespace dragoman::converter
