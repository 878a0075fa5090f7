// Cross-attention of one decoder row in plain C++: the specification. Neighbours: cross_attention.cc, scalar_math.h.
#include <cmath>
#include <limits>

#include "kernels/cross_attention.h"
#include "kernels/scalar_math.h"

namespace dragoman::kernels::reference {

// Uses `source_length` floats of the scratch.
void cross_attention(const CrossAttentionRow& row, float* scratch) {
  for (size_t head = 0; head < row.num_heads; ++head) {
    const size_t column = head * row.head_width;
    float max = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < row.source_length; ++j) {
      LaneSum score;
      for (size_t c = 0; c < row.head_width; ++c) {
        score.multiply_add(c, row.query[column + c], row.keys[j * row.stride + column + c]);
      }
      scratch[j] = score.total();
      max = scratch[j] > max ? scratch[j] : max;
    }
    const float shift = std::isinf(max) && max < 0 ? 0.0f : max;
    LaneSum total;
    for (size_t j = 0; j < row.source_length; ++j) {
      scratch[j] = exp(scratch[j] - shift);
      total.add(j, scratch[j]);
    }
    const float inverse = total.total() == 0.0f ? 0.0f : 1.0f / total.total();
    for (size_t c = 0; c < row.head_width; ++c) {
      float sum = 0.0f;
      for (size_t j = 0; j < row.source_length; ++j) {
        sum = std::fma(scratch[j], row.values[j * row.stride + column + c], sum);
      }
      row.output[column + c] = sum * inverse;
    }
    const size_t stride = row.probabilities_stride != 0 ? row.probabilities_stride : row.source_length;
    for (size_t j = 0; j < row.source_length && row.probabilities != nullptr; ++j) {
      row.probabilities[head * stride + j] = scratch[j] * inverse;
    }
  }
}

}  // namespace dragoman::kernels::reference
