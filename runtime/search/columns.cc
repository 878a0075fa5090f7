#include "search/columns.h"

namespace dragoman::search {

namespace {

void insert(kernels::TopK* top, size_t k, float value, int32_t id) {
  size_t at = top->count < k ? top->count++ : k - 1;
  for (; at > 0 && value > top->logits[at - 1]; --at) {
    top->logits[at] = top->logits[at - 1];
    top->ids[at] = top->ids[at - 1];
  }
  top->logits[at] = value;
  top->ids[at] = id;
}

}  // namespace

void select_top(const Columns& columns, size_t k, kernels::TopK* top) {
  constexpr size_t kBlock = 64;  // most blocks hold nothing of the best: their maximum says so
  top->count = 0;
  for (size_t begin = 0; begin < columns.values.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, columns.values.size());
    float best = kNever;
    for (size_t c = begin; c < end; ++c) best = columns.values[c] > best ? columns.values[c] : best;
    float bar = top->count == k ? top->logits[k - 1] : kNever;
    if (!(best > bar)) continue;
    for (size_t c = begin; c < end; ++c) {
      if (!(columns.values[c] > bar)) continue;
      insert(top, k, columns.values[c], columns.id(c));
      bar = top->count == k ? top->logits[k - 1] : kNever;
    }
  }
}

}  // namespace dragoman::search
