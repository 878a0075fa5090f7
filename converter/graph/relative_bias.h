// Relative position biases of T5: distances fall into buckets; here the buckets are written out, one column a distance.
// Neighbours: transformer_builder stores the table, the runtime's attention adds a row of it to its scores.
#pragma once

#include <cstdint>
#include <vector>

#include "converter/frontends/source.h"

namespace dragoman::converter {

// The bucket of key minus query position `distance` (Raffel et al. 2020, as Hugging Face computes it): half of the
// buckets count single steps, the others grow logarithmically up to max_distance; without `causal` half of all serve
// keys that come later.
uint32_t relative_bucket(int64_t distance, uint32_t buckets, uint32_t max_distance, bool causal);

// The trained [buckets, heads] by distance: [heads, 2 n + 1], column distance + n, or with `causal` [heads, n + 1],
// column distance + n for distances up to 0. n = max_distance: beyond it nothing changes.
std::vector<float> relative_bias_table(const SourceTensor& trained, uint32_t max_distance, bool causal);

}  // namespace dragoman::converter
