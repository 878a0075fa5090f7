// One named array as a container of trained weights stores it: element type, shape, strides, bytes.
// Neighbours: the readers of safetensors, .npz and PyTorch checkpoints fill it, frontends/ turn it into SourceTensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dragoman::converter {

enum class ArrayType : uint8_t { kF32, kF16, kBF16, kF64, kI8, kU8, kI16, kI32, kI64, kBool };

// Bytes of one element.
uint64_t array_element_bytes(ArrayType type);
// "F32".
const char* array_type_name(ArrayType type);

struct StoredArray {
  std::string name;
  ArrayType type = ArrayType::kF32;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> strides;      // in elements, one a dimension; empty: contiguous, row-major
  std::span<const std::byte> data;    // unaligned; covers every element that shape and strides reach
  std::shared_ptr<const void> owner;  // keeps `data` alive when it is not a view into the file; may be null

  // True when the elements lie one after another in row-major order.
  bool contiguous() const;
};

// Product of `shape`, or false when it exceeds 2^60.
bool checked_elements(const std::vector<uint64_t>& shape, uint64_t* elements);

// Whether every element that `shape` and `strides` reach from `offset` lies below `count`.
bool within_storage(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& strides, uint64_t offset,
                    uint64_t count);

}  // namespace dragoman::converter
