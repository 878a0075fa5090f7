// Element types and strides of stored arrays in the source's terms.
// Neighbours: array_tensor.h.
#include "converter/frontends/array_tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dragoman::converter {
namespace {

SourceType source_type(ArrayType type) {
  switch (type) {
    case ArrayType::kF32: return SourceType::kF32;
    case ArrayType::kF16: return SourceType::kF16;
    case ArrayType::kBF16: return SourceType::kBF16;
    case ArrayType::kF64: return SourceType::kF64;
    case ArrayType::kI8: return SourceType::kI8;
    case ArrayType::kI16: return SourceType::kI16;
    default: return SourceType::kOther;
  }
}

bool is_transposed_matrix(const StoredArray& array) {
  return array.shape.size() == 2 && array.strides[0] == 1 && array.strides[1] == array.shape[0];
}

// The elements in row-major order.
std::shared_ptr<std::vector<std::byte>> gather(const StoredArray& array) {
  const size_t element = static_cast<size_t>(array_element_bytes(array.type));
  uint64_t count = 0;
  checked_elements(array.shape, &count);
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(count) * element);
  std::vector<uint64_t> index(array.shape.size(), 0);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t at = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * array.strides[axis];
    std::memcpy(bytes->data() + i * element, array.data.data() + at * element, element);
    for (size_t axis = index.size(); axis > 0 && ++index[axis - 1] == array.shape[axis - 1]; --axis)
      index[axis - 1] = 0;
  }
  return bytes;
}

}  // namespace

void add_arrays(std::vector<StoredArray> arrays, Source* source) {
  for (StoredArray& array : arrays) {
    SourceTensor tensor;
    tensor.name = std::move(array.name);
    tensor.type = source_type(array.type);
    tensor.data = array.data;
    if (!array.strides.empty()) {
      tensor.transposed = is_transposed_matrix(array);
      if (!tensor.transposed) {
        const auto ordered = gather(array);
        tensor.data = *ordered;
        source->storage.push_back(ordered);
      }
    }
    tensor.shape = std::move(array.shape);
    if (array.owner != nullptr) source->storage.push_back(std::move(array.owner));
    source->tensors.push_back(std::move(tensor));
  }
  std::sort(source->tensors.begin(), source->tensors.end(),
            [](const SourceTensor& a, const SourceTensor& b) { return a.name < b.name; });
}

}  // namespace dragoman::converter
