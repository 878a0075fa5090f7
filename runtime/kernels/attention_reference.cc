// Self-attention of one segment in plain C++: the specification. Neighbours: attention.cc, scalar_math.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention.h"
#include "kernels/scalar_math.h"

namespace dragoman::kernels::reference {
namespace {

float relative_bias(const AttentionSegment& s, size_t head, size_t query, size_t key) {
  const auto farthest = static_cast<ptrdiff_t>(s.max_distance);
  const ptrdiff_t distance = static_cast<ptrdiff_t>(key) - static_cast<ptrdiff_t>(query);
  const ptrdiff_t column = std::clamp(distance, -farthest, farthest) + farthest;
  return s.relative_bias[head * (2 * s.max_distance + 1) + static_cast<size_t>(column)];
}

}  // namespace

// Uses `length` floats of the scratch.
void attention_segment(const AttentionSegment& s, float* scratch) {
  const size_t width = s.num_heads * s.head_width;
  for (size_t head = s.head_begin; head < s.head_end; ++head) {
    for (size_t i = 0; i < s.length; ++i) {
      const float* query = s.qkv + i * s.qkv_stride + head * s.head_width;
      float max = -std::numeric_limits<float>::infinity();
      for (size_t j = 0; j < s.length; ++j) {
        const float* key = s.qkv + j * s.qkv_stride + width + head * s.head_width;
        float score = 0.0f;
        for (size_t c = 0; c < s.head_width; ++c) score = std::fma(query[c], key[c], score);
        if (s.key_bias != nullptr) score += s.key_bias[j];
        if (s.relative_bias != nullptr) score += relative_bias(s, head, i, j);
        scratch[j] = score;
        max = score > max ? score : max;
      }
      const float shift = std::isinf(max) && max < 0 ? 0.0f : max;
      LaneSum total;
      for (size_t j = 0; j < s.length; ++j) {
        scratch[j] = exp(scratch[j] - shift);
        total.add(j, scratch[j]);
      }
      const float inverse = total.total() == 0.0f ? 0.0f : 1.0f / total.total();
      for (size_t c = 0; c < s.head_width; ++c) {
        float sum = 0.0f;
        for (size_t j = 0; j < s.length; ++j) {
          const float value = s.qkv[j * s.qkv_stride + 2 * width + head * s.head_width + c];
          sum = std::fma(scratch[j], value, sum);
        }
        s.output[i * s.output_stride + head * s.head_width + c] = sum * inverse;
      }
    }
  }
}

}  // namespace dragoman::kernels::reference
