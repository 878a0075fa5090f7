// Directory of the tensors to be written.
// Neighbours: tensor_store.h.
#include "converter/graph/tensor_store.h"

#include <utility>

namespace dragoman::converter {

uint32_t TensorStore::add(StoredTensor tensor) {
  tensors_.push_back(std::move(tensor));
  return static_cast<uint32_t>(tensors_.size() - 1);
}

uint32_t TensorStore::add_bytes(std::string name, ElementType type, std::vector<uint64_t> shape,
                                std::span<const std::byte> bytes) {
  StoredTensor tensor;
  tensor.name = std::move(name);
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.bytes = bytes.size();
  tensor.produce = [copy = std::vector<std::byte>(bytes.begin(), bytes.end())](ByteSink& sink) {
    return sink.write(copy);
  };
  return add(std::move(tensor));
}

}  // namespace dragoman::converter
