// Weights and biases as XNNPACK wants to be given them, where that is not as they are stored.
// Neighbours: matmul.cc packs them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/heap_blocks.h"
#include "kernels/matmul.h"

namespace dragoman::kernels {

// An array that lives for one creation and is charged to nobody who is asked later. Null when there is no memory.
template <typename T>
class ScratchArray {
 public:
  explicit ScratchArray(size_t count) {
    const ChargeHeapTo payer(account_);
    elements_ = static_cast<T*>(allocate_heap_block(count * sizeof(T), kHeapBlockHeaderBytes));
  }
  ~ScratchArray() { release_heap_block(elements_); }
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;
  T* get() const { return elements_; }

 private:
  HeapAccount account_;
  T* elements_;
};

// bias / scales, [outputs]. Both are there.
void divide_bias_by_scales(const MatmulSpec& spec, float* out);

// The floats that kF16 or kI4 weights stand for, [outputs, inputs].
void weights_as_floats(const MatmulSpec& spec, float* out);

// kI4 weights, each element plus kInt4ZeroPoint, [outputs, inputs / 2] bytes.
inline constexpr uint8_t kInt4ZeroPoint = 8;
void int4_weights_from_zero(const MatmulSpec& spec, uint8_t* out);

}  // namespace dragoman::kernels
