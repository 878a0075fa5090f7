// Logits, top-k and log-sum-exp in plain C++: the specification. Neighbours: logits.cc, scalar_math.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/half.h"
#include "kernels/logits.h"
#include "kernels/scalar_math.h"

namespace dragoman::kernels::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kChunkColumns = 256;

float weight_of(const LogitsWeights& weights, size_t id, size_t k) {
  const size_t at = id * weights.width + k;
  if (weights.i8 != nullptr) return static_cast<float>(weights.i8[at]);
  if (weights.f16 != nullptr) return float_from_half(weights.f16[at]);
  if (weights.i4.elements != nullptr) return weights.i4.row(id, weights.width).value(k);
  return weights.f32[at];
}

float logit_of(const LogitsWeights& weights, const LogitsRow& row, size_t id) {
  const float bias = weights.bias != nullptr ? weights.bias[id] : 0.0f;
  if (row.i8 != nullptr) {
    int64_t dot = 0;
    for (size_t k = 0; k < weights.width; ++k) dot += int64_t{row.i8[k]} * weights.i8[id * weights.width + k];
    const int64_t exact = dot - int64_t{row.quantization.zero_point} * weights.row_sums[id];
    const float scaled = static_cast<float>(static_cast<int32_t>(exact)) * row.quantization.scale;
    return std::fma(scaled, weights.scales[id], bias);
  }
  LaneSum dot;
  for (size_t k = 0; k < weights.width; ++k) {
    dot.multiply_add(k, row.f32[k], weight_of(weights, id, k));
  }
  return weights.i8 != nullptr ? std::fma(dot.total(), weights.scales[id], bias) : dot.total() + bias;
}

bool is_suppressed(const LogitsRow& row, int32_t id) {
  return std::find(row.suppressed, row.suppressed + row.num_suppressed, id) != row.suppressed + row.num_suppressed;
}

void insert(TopK* top, size_t k, float logit, int32_t id) {
  if (!(logit > -kInfinity) || k == 0) return;
  size_t at = 0;
  while (at < top->count && !(logit > top->logits[at])) ++at;
  if (at == k) return;
  top->count = std::min(top->count + 1, k);
  for (size_t i = top->count - 1; i > at; --i) {
    top->logits[i] = top->logits[i - 1];
    top->ids[i] = top->ids[i - 1];
  }
  top->logits[at] = logit;
  top->ids[at] = id;
}

// Adds sum * exp(max), given apart, to the running pair.
void merge(float max, float sum, float* total_max, float* total_sum) {
  if (sum == 0.0f) return;
  if (*total_sum == 0.0f) {
    *total_max = max;
    *total_sum = sum;
  } else if (*total_max >= max) {
    *total_sum = std::fma(sum, exp(max - *total_max), *total_sum);
  } else {
    *total_sum = std::fma(*total_sum, exp(*total_max - max), sum);
    *total_max = max;
  }
}

struct Chunk {
  float max = -kInfinity;
  float sum = 0.0f;
};

Chunk chunk_of(const LogitsWeights& weights, const LogitsRow& row, size_t begin, size_t end, size_t k, TopK* top) {
  float logits[kChunkColumns];
  Chunk chunk;
  for (size_t c = begin; c < end; ++c) {
    const int32_t id = row.allowed != nullptr ? row.allowed[c] : static_cast<int32_t>(c);
    float logit = logit_of(weights, row, static_cast<size_t>(id));
    if (std::isnan(logit)) logit = -kInfinity;
    const bool suppressed = is_suppressed(row, id);
    const float counted = suppressed && !row.sum_suppressed ? -kInfinity : logit;
    if (suppressed || id == row.banned) logit = -kInfinity;
    if (row.logits != nullptr) row.logits[c] = logit;
    insert(top, k, logit, id);
    logits[c - begin] = counted;
    chunk.max = std::max(chunk.max, counted);
  }
  if (chunk.max == -kInfinity) return chunk;
  LaneSum sum;
  for (size_t c = begin; c < end; ++c) sum.add(c - begin, exp(logits[c - begin] - chunk.max));
  chunk.sum = sum.total();
  return chunk;
}

}  // namespace

void logits_top_k(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top) {
  for (size_t r = 0; r < num_rows; ++r) {
    const size_t columns = rows[r].allowed != nullptr ? rows[r].num_allowed : weights.vocabulary;
    top[r].count = 0;
    top[r].max = -kInfinity;
    top[r].sum = 0.0f;
    for (size_t part = 0; part < columns; part += kLogitsPartColumns) {
      const size_t part_end = std::min(part + kLogitsPartColumns, columns);
      Chunk total;
      for (size_t begin = part; begin < part_end; begin += kChunkColumns) {
        const size_t end = std::min(begin + kChunkColumns, part_end);
        const Chunk chunk = chunk_of(weights, rows[r], begin, end, k, top + r);
        merge(chunk.max, chunk.sum, &total.max, &total.sum);
      }
      merge(total.max, total.sum, &top[r].max, &top[r].sum);
    }
    const bool finite = std::isfinite(top[r].max);
    top[r].log_sum_exp = finite ? top[r].max + log(top[r].sum) : top[r].max;
  }
}

}  // namespace dragoman::kernels::reference
