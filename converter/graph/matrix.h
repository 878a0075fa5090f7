// A trained tensor seen as [rows, columns], row by row, whichever way it lies in its file.
// Neighbours: families/ say what is a row, graph/weights concatenates and stores them.
#pragma once

#include <cstdint>
#include <span>

#include "converter/frontends/source.h"

namespace dragoman::converter {

// Row r, column c is element r * row_stride + c * column_stride of `tensor`, times its scale, times `factor`.
struct Matrix {
  const SourceTensor* tensor = nullptr;  // borrowed
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t row_stride = 0;
  uint64_t column_stride = 0;
  double factor = 1.0;

  bool is_int8() const { return tensor->type == SourceType::kI8; }
  // Scale of int8 row `row` once `factor` is folded in. With factor 1 it is the stored scale, bit for bit.
  float int8_scale(uint64_t row) const { return static_cast<float>(stored_scale(row) * factor); }

  // Both write one row of `columns` elements. read_int8 requires is_int8(); read_float applies scale and factor.
  void read_int8(uint64_t row, std::span<int8_t> out) const;
  void read_float(uint64_t row, std::span<float> out) const;

 private:
  double stored_scale(uint64_t row) const {
    return static_cast<double>(tensor->row_scales.empty() ? tensor->scale : tensor->row_scales[row]);
  }
};

// The tensor [A, B] as it is written: A rows (embedding tables, weights stored [outputs, inputs]).
Matrix table_matrix(const SourceTensor& tensor, double factor = 1.0);

// The tensor [inputs, outputs] of y = x W as `outputs` rows: what a Linear stores. `factor` scales the result.
Matrix linear_matrix(const SourceTensor& tensor, double factor = 1.0);

}  // namespace dragoman::converter
