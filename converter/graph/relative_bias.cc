// Buckets in single precision, step by step as the original computes them: one rounding more would move a border.
// Neighbours: relative_bias.h.
#include "converter/graph/relative_bias.h"

#include <algorithm>
#include <cmath>

#include "converter/graph/matrix.h"

namespace dragoman::converter {

uint32_t relative_bucket(int64_t distance, uint32_t buckets, uint32_t max_distance, bool causal) {
  uint32_t first = 0;
  if (!causal) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = -std::min<int64_t>(distance, 0);
  }
  const uint32_t exact = buckets / 2;
  if (distance < exact) return first + static_cast<uint32_t>(distance);
  const float ratio = std::log(static_cast<float>(distance) / static_cast<float>(exact));
  const float range = static_cast<float>(std::log(static_cast<double>(max_distance) / exact));
  const float beyond = ratio / range * static_cast<float>(buckets - exact);
  return first + std::min(exact + static_cast<uint32_t>(beyond), buckets - 1);
}

std::vector<float> relative_bias_table(const SourceTensor& trained, uint32_t max_distance, bool causal) {
  const Matrix rows = table_matrix(trained);
  const auto buckets = static_cast<uint32_t>(rows.rows);
  const size_t heads = static_cast<size_t>(rows.columns);
  const int64_t n = max_distance;
  const size_t columns = static_cast<size_t>(causal ? n + 1 : 2 * n + 1);
  std::vector<float> table(heads * columns), row(heads);
  for (size_t column = 0; column < columns; ++column) {
    rows.read_float(relative_bucket(static_cast<int64_t>(column) - n, buckets, max_distance, causal), row);
    for (size_t head = 0; head < heads; ++head) table[head * columns + column] = row[head];
  }
  return table;
}

}  // namespace dragoman::converter
