// Tensor look-up with an account of what was used.
// Neighbours: tensor_reader.h.
#include "converter/families/tensor_reader.h"

namespace dragoman::converter {
namespace {

std::string size_text(uint64_t size) { return size == 0 ? "any" : std::to_string(size); }

}  // namespace

const SourceTensor* TensorReader::find(const std::string& name) {
  const bool first_time = used_.insert(name).second;
  const SourceTensor* tensor = source_.find(name);
  if (tensor == nullptr && first_time) problems_->add("tensor '" + name + "' is missing");
  return tensor;
}

const SourceTensor* TensorReader::matrix(const std::string& name, uint64_t rows, uint64_t columns) {
  const SourceTensor* tensor = find(name);
  if (tensor == nullptr) return nullptr;
  if (tensor->type == SourceType::kOther) {
    problems_->add("tensor '" + name + "' is of a type that weights do not have");
    return nullptr;
  }
  if (tensor->shape.size() == 2 && (rows == 0 || tensor->shape[0] == rows) &&
      (columns == 0 || tensor->shape[1] == columns)) {
    return tensor;
  }
  problems_->add("tensor '" + name + "' has shape " + tensor->shape_text() + ", expected [" + size_text(rows) + ", " +
                 size_text(columns) + "]");
  return nullptr;
}

const SourceTensor* TensorReader::vector(const std::string& name, uint64_t length) {
  const SourceTensor* tensor = find(name);
  if (tensor == nullptr) return nullptr;
  const SourceType type = tensor->type;
  const bool is_float = type != SourceType::kI8 && type != SourceType::kI16 && type != SourceType::kOther;
  if (is_float && tensor->size() == length && !tensor->shape.empty() && tensor->shape.back() == length) return tensor;
  problems_->add("tensor '" + name + "' has shape " + tensor->shape_text() + ", expected float [1, " +
                 std::to_string(length) + "]");
  return nullptr;
}

void TensorReader::finish() {
  for (const SourceTensor& tensor : source_.tensors) {
    if (!used_.contains(tensor.name)) {
      problems_->add("tensor '" + tensor.name + "' " + tensor.shape_text() + " is not known");
    }
  }
}

}  // namespace dragoman::converter
