#include "search/sampler.h"

#include "kernels/softmax.h"

namespace dragoman::search {

void Sampler::carve(size_t max_columns, Arena* arena) {
  weights_ = arena->carve<float>(max_columns);
  order_ = arena->carve<uint32_t>(max_columns);
}

size_t Sampler::draw(const Sampling& sampling, const Columns& columns, double number) {
  const size_t num_columns = columns.values.size();
  float best = kNever;
  for (const float value : columns.values) best = value > best ? value : best;
  if (best == kNever) return num_columns;
  for (size_t c = 0; c < num_columns; ++c) weights_[c] = (columns.values[c] - best) / sampling.temperature;
  kernels::softmax(weights_.data(), num_columns, weights_.data());
  // All ids below this weight together have less than the probability that top-p leaves out.
  Sampling chosen = sampling;
  if (chosen.top_k >= num_columns) chosen.top_k = 0;
  const float floor = chosen.top_k == 0 ? 0.5f * (1.0f - sampling.top_p) / static_cast<float>(num_columns) : 0.0f;
  size_t count = 0;
  for (size_t c = 0; c < num_columns; ++c) {
    if (weights_[c] > 0 && weights_[c] >= floor) order_[count++] = static_cast<uint32_t>(c);
  }
  if (count == 0) return num_columns;  // a penalty made a score infinite
  count = cut(chosen, count);
  double total = 0;
  for (size_t i = 0; i < count; ++i) total += static_cast<double>(weights_[order_[i]]);
  const double target = number * total;
  double sum = 0;
  for (size_t i = 0; i + 1 < count; ++i) {
    sum += static_cast<double>(weights_[order_[i]]);
    if (sum > target) return order_[i];
  }
  return order_[count - 1];
}

// Leaves the columns that may be drawn at the front of order_; returns how many, at least one.
size_t Sampler::cut(const Sampling& sampling, size_t count) {
  const auto better = [this](uint32_t a, uint32_t b) {
    return weights_[a] != weights_[b] ? weights_[a] > weights_[b] : a < b;
  };
  const auto begin = order_.begin();
  if (sampling.top_k > 0 && sampling.top_k < count) {
    std::nth_element(begin, begin + static_cast<ptrdiff_t>(sampling.top_k) - 1, begin + static_cast<ptrdiff_t>(count),
                     better);
    count = sampling.top_k;
  }
  if (sampling.top_k == 0 && sampling.top_p >= 1 && sampling.min_p <= 0) return count;
  std::sort(begin, begin + static_cast<ptrdiff_t>(count), better);
  if (sampling.top_p < 1) {
    double total = 0;
    // With top-k the rest is renormalized; without, softmax has summed up all, even what is below the floor.
    for (size_t i = 0; i < count && sampling.top_k > 0; ++i) total += static_cast<double>(weights_[order_[i]]);
    const double wanted = static_cast<double>(sampling.top_p) * (sampling.top_k > 0 ? total : 1.0);
    double sum = 0;
    size_t kept = 0;
    while (kept < count && (kept == 0 || sum < wanted)) sum += static_cast<double>(weights_[order_[kept++]]);
    count = kept;
  }
  const float bar = sampling.min_p * weights_[order_[0]];
  while (count > 1 && weights_[order_[count - 1]] < bar) --count;
  return count;
}

}  // namespace dragoman::search
