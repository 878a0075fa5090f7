#include "search/attention.h"

#include <algorithm>

#include "search/length_penalty.h"

namespace dragoman::search {

float AttentionRows::coverage(const Trellis& trellis, size_t sentence, const Hypothesis& hypothesis,
                              size_t source_length) const {
  const std::span<float> sums = coverage_.first(source_length);
  std::fill(sums.begin(), sums.end(), 0.0f);
  Node node = hypothesis.last;
  for (size_t position = hypothesis.num_ids; position-- > 0;) {
    const float* given = row(sentence, position, node.parent);
    for (size_t i = 0; i < source_length; ++i) sums[i] += given[i];
    if (position > 0) node = trellis.node(sentence, position - 1, node.parent);
  }
  double total = 0;
  for (const float sum : sums) {
    if (sum > 0 && sum < 1) total += natural_log(static_cast<double>(sum));
  }
  return static_cast<float>(total);
}

void AttentionRows::read(const Trellis& trellis, size_t sentence, const Hypothesis& hypothesis, size_t source_length,
                         std::span<float> to) const {
  Node node = hypothesis.last;
  for (size_t position = hypothesis.num_ids; position-- > 0;) {
    std::copy_n(row(sentence, position, node.parent), source_length, to.begin() + position * source_length);
    if (position > 0) node = trellis.node(sentence, position - 1, node.parent);
  }
}

}  // namespace dragoman::search
