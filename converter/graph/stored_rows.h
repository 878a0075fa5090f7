// The rows of a weight in each type that a file may hold it in: one pass measures scales, sums and errors, a later one
// writes. Neither holds more than a row and what is known of each.
// Neighbours: graph/weights calls it; quantize/ has the arithmetic of one row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converter/graph/matrix.h"
#include "converter/graph/tensor_store.h"
#include "converter/quantize/weight_error.h"

namespace dragoman::converter {

// The parts of a weight lie one below the other; they agree in columns.
using MatrixParts = std::vector<Matrix>;

// What the first pass learned.
struct RowSurvey {
  std::vector<float> scales;           // int8: one a row
  std::vector<int32_t> row_sums;       // int8: sum of each row's elements
  std::vector<uint16_t> block_scales;  // int4: bfloat16, block after block of row after row
  WeightError error;                   // of the floats among the parts, or of all when nothing is kept
  bool quantized = false;              // something was, and `error` counts
  uint64_t num_raised = 0;             // int8: stored elements of -128, which become -127
};

// First passes. `importance` holds a mean square for each column, or is empty. int8 parts keep their integers in an
// int8 weight, but for -128: products take elements from -127 on (kernels/matmul.h), so it becomes -127. kNumerical
// naming a tensor with a value that is not finite, or for f16 one that it cannot hold.
Status survey_int8(const MatrixParts& parts, std::span<const float> importance, RowSurvey* survey);
Status survey_int4(const MatrixParts& parts, std::span<const float> importance, RowSurvey* survey);
Status survey_half(const MatrixParts& parts, std::span<const float> importance, RowSurvey* survey);

// Second passes.
Status write_int8(const MatrixParts& parts, const RowSurvey& survey, ByteSink& sink);
Status write_int4(const MatrixParts& parts, const RowSurvey& survey, ByteSink& sink);
Status write_half(const MatrixParts& parts, ByteSink& sink);
Status write_float(const MatrixParts& parts, ByteSink& sink);

}  // namespace dragoman::converter
