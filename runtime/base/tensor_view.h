// Element types and a read-only view of one stored tensor.
// Neighbours: model/ makes them from the mapped file, ops/ and kernels/ read through them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman {

// Values equal schema TensorType.
enum class ElementType : uint8_t {
  kF32 = 0,
  kF16 = 1,
  kI8 = 2,
  kU8 = 3,
  kI32 = 4,
  kU32 = 5,
  kU64 = 6,
  kI4 = 7,
  kBF16 = 8
};

// Bytes of one element; kI4 is counted in pairs elsewhere and returns 0 here.
constexpr size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::kF32:
    case ElementType::kI32:
    case ElementType::kU32: return 4;
    case ElementType::kF16:
    case ElementType::kBF16: return 2;
    case ElementType::kI8:
    case ElementType::kU8: return 1;
    case ElementType::kU64: return 8;
    case ElementType::kI4: return 0;
  }
  return 0;
}

// A stored matrix [rows, columns], row-major and contiguous. Borrowed from the model, which must outlive it.
// Integer weights carry one positive scale per row: value[r][c] = data[r][c] * scales[r].
struct TensorView {
  const char* name = "";
  ElementType type = ElementType::kF32;
  size_t rows = 0;  // product of all dimensions but the last; 1 for a vector
  size_t columns = 0;
  const void* data = nullptr;
  const float* scales = nullptr;      // [rows] or null
  const int32_t* row_sums = nullptr;  // [rows] sums of integer elements, or null
  // kI4 with a bfloat16 scale for every 32 columns instead of `scales`: [rows, columns / 32], or null.
  const uint16_t* block_scales = nullptr;

  const float* f32() const { return static_cast<const float*>(data); }
  const int8_t* i8() const { return static_cast<const int8_t*>(data); }
  const uint16_t* f16() const { return static_cast<const uint16_t*>(data); }
  const uint8_t* i4() const { return static_cast<const uint8_t*>(data); }  // rows of columns / 2 bytes
  size_t size() const { return rows * columns; }
};

}  // namespace dragoman
