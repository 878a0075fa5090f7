// The tensors of the file to be: directory entries now, bytes when the writer asks.
// Neighbours: graph/weights and the tokenizer builder add tensors, the writer streams them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/tensor_view.h"

namespace dragoman::converter {

// Receives a tensor's bytes, front to back.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status write(std::span<const std::byte> bytes) = 0;
};

// One tensor of the file. `produce` writes exactly `bytes` bytes, the same ones each time it is called; it may borrow
// from the sources, which outlive the writing.
struct StoredTensor {
  std::string name;
  ElementType type = ElementType::kF32;
  std::vector<uint64_t> shape;
  int32_t scales = -1;    // index of the F32 [rows] scales, or with `block` of the BF16 ones of every block
  int32_t row_sums = -1;  // index of the I32 [rows] sums
  uint32_t block = 0;     // kI4: columns that share a scale
  uint64_t bytes = 0;
  std::function<Status(ByteSink&)> produce;
};

// Tensors in the order in which they were added, which is their order in the file.
class TensorStore {
 public:
  uint32_t add(StoredTensor tensor);
  // Copies `bytes`.
  uint32_t add_bytes(std::string name, ElementType type, std::vector<uint64_t> shape, std::span<const std::byte> bytes);

  template <typename T>
  uint32_t add_vector(std::string name, ElementType type, const std::vector<T>& values) {
    return add_bytes(std::move(name), type, {values.size()}, std::as_bytes(std::span(values)));
  }

  // The same without a copy.
  template <typename T>
  uint32_t add_shared(std::string name, ElementType type, std::shared_ptr<const std::vector<T>> values) {
    StoredTensor tensor;
    tensor.name = std::move(name);
    tensor.type = type;
    tensor.shape = {values->size()};
    tensor.bytes = values->size() * sizeof(T);
    tensor.produce = [values = std::move(values)](ByteSink& sink) {
      return sink.write(std::as_bytes(std::span(*values)));
    };
    return add(std::move(tensor));
  }

  const std::vector<StoredTensor>& tensors() const { return tensors_; }

 private:
  std::vector<StoredTensor> tensors_;
};

}  // namespace dragoman::converter
