// Strided row reads of a trained tensor.
// Neighbours: matrix.h.
#include "converter/graph/matrix.h"

#include <cstring>

namespace dragoman::converter {

void Matrix::read_int8(uint64_t row, std::span<int8_t> out) const {
  const std::byte* base = tensor->data.data() + row * row_stride;
  if (column_stride == 1) {
    std::memcpy(out.data(), base, static_cast<size_t>(columns));
    return;
  }
  for (uint64_t c = 0; c < columns; ++c) out[c] = static_cast<int8_t>(base[c * column_stride]);
}

void Matrix::read_float(uint64_t row, std::span<float> out) const {
  const double scale = stored_scale(row) * factor;
  if (tensor->type == SourceType::kF32 && column_stride == 1 && scale == 1.0) {
    std::memcpy(out.data(), tensor->data.data() + row * row_stride * sizeof(float),
                static_cast<size_t>(columns) * sizeof(float));
    return;
  }
  for (uint64_t c = 0; c < columns; ++c) {
    const float element = source_element(*tensor, row * row_stride + c * column_stride);
    out[c] = scale == 1.0 ? element : static_cast<float>(static_cast<double>(element) * scale);
  }
}

Matrix table_matrix(const SourceTensor& tensor, double factor) {
  const uint64_t rows = tensor.shape[0], columns = tensor.shape[1];
  if (tensor.transposed) return Matrix{&tensor, rows, columns, 1, rows, factor};
  return Matrix{&tensor, rows, columns, columns, 1, factor};
}

Matrix linear_matrix(const SourceTensor& tensor, double factor) {
  const uint64_t inputs = tensor.shape[0], outputs = tensor.shape[1];
  if (tensor.transposed) return Matrix{&tensor, outputs, inputs, inputs, 1, factor};
  return Matrix{&tensor, outputs, inputs, 1, outputs, factor};
}

}  // namespace dragoman::converter
