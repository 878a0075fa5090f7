// Attention over cached rows in plain C++: the specification. Neighbours: cached_attention.cc, scalar_math.h, half.h.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cached_attention.h"
#include "kernels/half.h"
#include "kernels/scalar_math.h"

namespace dragoman::kernels::reference {
namespace {

// Elements and scales of one stored row.
class StoredRow {
 public:
  StoredRow(const CachedAttentionRow& row, size_t position)
      : type_(row.type),
        width_(row.key_value_heads * row.head_width),
        at_(row.cache + (position * row.slots + static_cast<size_t>(row.ancestors[position])) * row.row_bytes) {}

  float key(size_t i) const { return element(i); }
  float value(size_t i) const { return element(width_ + i); }
  float key_scale() const { return scale(0); }
  float value_scale() const { return scale(1); }

 private:
  template <typename T>
  T load(size_t offset) const {
    T x;
    std::memcpy(&x, at_ + offset, sizeof(x));
    return x;
  }
  float element(size_t i) const {
    if (type_ == CacheType::kF32) return load<float>(i * sizeof(float));
    if (type_ == CacheType::kF16) return float_from_half(load<uint16_t>(i * sizeof(uint16_t)));
    return static_cast<float>(load<int8_t>(i));
  }
  float scale(size_t which) const {
    return type_ == CacheType::kI8 ? load<float>(cache_scales_offset(width_) + which * sizeof(float)) : 1.0f;
  }

  CacheType type_;
  size_t width_;
  const std::byte* at_;
};

float bias_of(const CachedAttentionRow& row, size_t head, size_t position) {
  const size_t distance = row.length - 1 - position;
  const size_t farthest = row.relative_columns - 1;
  return row.relative_bias[head * row.relative_columns + (distance < farthest ? farthest - distance : 0)];
}

float score_of(const CachedAttentionRow& row, size_t head, size_t position) {
  const StoredRow stored(row, position);
  const float* query = row.query + head * row.head_width;
  const size_t column = head / (row.num_heads / row.key_value_heads) * row.head_width;
  LaneSum sum;
  for (size_t c = 0; c < row.head_width; ++c) sum.multiply_add(c, query[c], stored.key(column + c));
  const float score = sum.total() * stored.key_scale();
  return row.relative_bias != nullptr ? score + bias_of(row, head, position) : score;
}

}  // namespace

// Uses `length` floats of the scratch.
void cached_attention(const CachedAttentionRow& row, float* scratch) {
  for (size_t head = 0; head < row.num_heads; ++head) {
    float max = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < row.length; ++j) {
      scratch[j] = score_of(row, head, j);
      max = scratch[j] > max ? scratch[j] : max;
    }
    const float shift = std::isinf(max) && max < 0 ? 0.0f : max;
    LaneSum total;
    for (size_t j = 0; j < row.length; ++j) {
      scratch[j] = exp(scratch[j] - shift);
      total.add(j, scratch[j]);
      scratch[j] *= StoredRow(row, j).value_scale();
    }
    const float inverse = total.total() == 0.0f ? 0.0f : 1.0f / total.total();
    const size_t column = head / (row.num_heads / row.key_value_heads) * row.head_width;
    for (size_t c = 0; c < row.head_width; ++c) {
      float sum = 0.0f;
      for (size_t j = 0; j < row.length; ++j) sum = std::fma(scratch[j], StoredRow(row, j).value(column + c), sum);
      row.output[head * row.head_width + c] = sum * inverse;
    }
  }
}

}  // namespace dragoman::kernels::reference
