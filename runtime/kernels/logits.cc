// Logits consumed in chunks into top-k and log-sum-exp, on Highway. Neighbours: logits_inl.h, logits_reference.cc.
#include "kernels/logits.h"

#include <algorithm>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logits.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/exp_sum_inl.h"
#include "kernels/logits_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

inline constexpr size_t kChunkColumns = 256;
inline constexpr size_t kRowsTogether = 8;
static_assert(kLogitsPartColumns % kChunkColumns == 0);

// max and sum of exp(x - max) so far.
struct ExpSum {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;
};

HWY_INLINE ExpSum merge(const ExpSum& a, const ExpSum& b) {
  if (b.sum == 0.0f) return a;
  if (a.sum == 0.0f) return b;
  if (a.max >= b.max) return {a.max, multiply_add_scalar(b.sum, exp_scalar(b.max - a.max), a.sum)};
  return {b.max, multiply_add_scalar(a.sum, exp_scalar(a.max - b.max), b.sum)};
}

// Keeps `top` sorted; a later id needs a strictly larger logit.
HWY_INLINE void insert(TopK* top, size_t k, float logit, int32_t id) {
  if (top->count == k && !(logit > top->logits[k - 1])) return;
  size_t at = top->count < k ? top->count++ : k - 1;
  for (; at > 0 && logit > top->logits[at - 1]; --at) {
    top->logits[at] = top->logits[at - 1];
    top->ids[at] = top->ids[at - 1];
  }
  top->logits[at] = logit;
  top->ids[at] = id;
}

HWY_INLINE int32_t column_id(const LogitsRow& row, size_t column) {
  return row.allowed != nullptr ? row.allowed[column] : static_cast<int32_t>(column);
}

// `id`, if it is among the columns [begin, begin + count), gets -infinity.
HWY_INLINE void strike(const LogitsRow& row, int32_t id, size_t begin, size_t count, float* logits) {
  size_t at = count;
  if (row.allowed == nullptr) {
    if (id >= 0 && static_cast<size_t>(id) >= begin) at = static_cast<size_t>(id) - begin;
  } else {
    const int32_t* first = row.allowed + begin;
    const int32_t* found = std::lower_bound(first, first + count, id);
    if (found != first + count && *found == id) at = static_cast<size_t>(found - first);
  }
  if (at < count) logits[at] = -std::numeric_limits<float>::infinity();
}

HWY_INLINE void strike_suppressed(const LogitsRow& row, size_t begin, size_t count, float* logits) {
  for (size_t s = 0; s < row.num_suppressed; ++s) strike(row, row.suppressed[s], begin, count, logits);
}

// Candidates of one chunk; `padded` a multiple of 16.
HWY_INLINE void select(const LogitsRow& row, size_t begin, const float* logits, size_t padded, size_t k, TopK* top) {
  const F32 d;
  for (size_t i = 0; i < padded; i += kVectorLanes) {
    const float bar = top->count == k ? top->logits[k - 1] : -std::numeric_limits<float>::infinity();
    const auto better = hn::Gt(hn::LoadU(d, logits + i), hn::Set(d, bar));
    if (hn::AllFalse(d, better)) continue;
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, better, bits);
    for (uint32_t rest = bits[0] | static_cast<uint32_t>(bits[1]) << 8; rest != 0; rest &= rest - 1) {
      const size_t j = i + static_cast<size_t>(std::countr_zero(rest));
      insert(top, k, logits[j], column_id(row, begin + j));
    }
  }
}

HWY_INLINE void consume_chunk(const LogitsWeights& weights, const LogitsRow& row, LogitsPart chunk, size_t k, TopK* top,
                              ExpSum* total) {
  HWY_ALIGN float logits[kChunkColumns];
  const size_t count = chunk.end - chunk.begin;
  const size_t padded = (count + kVirtualLanes - 1) / kVirtualLanes * kVirtualLanes;
  column_logits(weights, row, chunk.begin, count, logits);
  if (!row.sum_suppressed) strike_suppressed(row, chunk.begin, count, logits);
  float max = max_row(logits, padded);
  if (max != -std::numeric_limits<float>::infinity()) {
    *total = merge(*total, {max, sum_exp(logits, padded, max, nullptr)});
  }
  if (row.sum_suppressed || row.banned >= 0) {
    if (row.sum_suppressed) strike_suppressed(row, chunk.begin, count, logits);
    if (row.banned >= 0) strike(row, row.banned, chunk.begin, count, logits);
    max = max_row(logits, padded);
  }
  if (row.logits != nullptr) std::memcpy(row.logits + chunk.begin, logits, count * sizeof(float));
  if (max == -std::numeric_limits<float>::infinity()) return;
  if (k != 0 && (top->count < k || max > top->logits[k - 1])) select(row, chunk.begin, logits, padded, k, top);
}

// Up to kRowsTogether rows over the same columns: each chunk of weights is read once from memory, then from cache.
HWY_INLINE void consume_columns(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows,
                                LogitsPart columns, size_t k, TopK* top) {
  for (size_t r = 0; r < num_rows; ++r) {
    top[r].count = 0;
    top[r].max = -std::numeric_limits<float>::infinity();
    top[r].sum = 0.0f;
  }
  for (size_t part = columns.begin; part < columns.end; part += kLogitsPartColumns) {
    ExpSum sums[kRowsTogether];
    const size_t part_end = std::min(part + kLogitsPartColumns, columns.end);
    for (size_t begin = part; begin < part_end; begin += kChunkColumns) {
      const LogitsPart chunk = {begin, std::min(begin + kChunkColumns, part_end)};
      for (size_t r = 0; r < num_rows; ++r) consume_chunk(weights, rows[r], chunk, k, top + r, sums + r);
    }
    for (size_t r = 0; r < num_rows; ++r) {
      const ExpSum joined = merge({top[r].max, top[r].sum}, sums[r]);
      top[r].max = joined.max;
      top[r].sum = joined.sum;
    }
  }
  for (size_t r = 0; r < num_rows; ++r) top[r].log_sum_exp = log_sum(top[r].max, top[r].sum);
}

HWY_INLINE size_t num_columns(const LogitsWeights& weights, const LogitsRow& row) {
  return row.allowed != nullptr ? row.num_allowed : weights.vocabulary;
}

void logits_top_k_body(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top) {
  for (size_t r = 0; r < num_rows;) {
    size_t n = 1;
    while (n < kRowsTogether && r + n < num_rows && rows[r + n].allowed == rows[r].allowed &&
           num_columns(weights, rows[r + n]) == num_columns(weights, rows[r])) {
      ++n;
    }
    consume_columns(weights, rows + r, n, {0, num_columns(weights, rows[r])}, k, top + r);
    r += n;
  }
}

void logits_top_k_part_body(const LogitsWeights& weights, const LogitsRow& row, LogitsPart part, size_t k, TopK* top) {
  consume_columns(weights, &row, 1, part, k, top);
}

void merge_top_k_body(const TopK* parts, size_t num_parts, size_t k, TopK* top) {
  ExpSum total;
  top->count = 0;
  for (size_t p = 0; p < num_parts; ++p) {
    total = merge(total, {parts[p].max, parts[p].sum});
    for (size_t i = 0; i < parts[p].count && k != 0; ++i) insert(top, k, parts[p].logits[i], parts[p].ids[i]);
  }
  top->max = total.max;
  top->sum = total.sum;
  top->log_sum_exp = log_sum(total.max, total.sum);
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(logits)
HWY_EXPORT(logits_top_k_body);
HWY_EXPORT(logits_top_k_part_body);
HWY_EXPORT(merge_top_k_body);

void logits_top_k(const LogitsWeights& weights, const LogitsRow* rows, size_t num_rows, size_t k, TopK* top) {
  HWY_DYNAMIC_DISPATCH(logits_top_k_body)(weights, rows, num_rows, std::min(k, kMaxTopK), top);
}

void logits_top_k_part(const LogitsWeights& weights, const LogitsRow& row, LogitsPart part, size_t k, TopK* top) {
  HWY_DYNAMIC_DISPATCH(logits_top_k_part_body)(weights, row, part, std::min(k, kMaxTopK), top);
}

void merge_top_k(const TopK* parts, size_t num_parts, size_t k, TopK* top) {
  HWY_DYNAMIC_DISPATCH(merge_top_k_body)(parts, num_parts, std::min(k, kMaxTopK), top);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
