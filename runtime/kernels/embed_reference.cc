// Embedding rows in plain C++: the specification. Neighbours: embed.cc.
#include <cmath>

#include "kernels/embed.h"
#include "kernels/half.h"

namespace dragoman::kernels::reference {
namespace {

float element_of(const EmbedOptions& o, size_t id, size_t i) {
  if (o.table_i8 != nullptr) return static_cast<float>(o.table_i8[id * o.width + i]);
  if (o.table_f16 != nullptr) return float_from_half(o.table_f16[id * o.width + i]);
  if (o.table_i4.elements != nullptr) return o.table_i4.row(id, o.width).value(i);
  return o.table_f32[id * o.width + i];
}

}  // namespace

void embed_rows(const EmbedOptions& o) {
  const size_t stride = o.output_stride != 0 ? o.output_stride : o.width;
  const bool has_positions = o.positions != nullptr && o.position_rows != 0;
  for (size_t r = 0; r < o.rows; ++r) {
    const bool known = o.ids[r] >= 0 && static_cast<size_t>(o.ids[r]) < o.table_rows;
    const size_t id = known ? static_cast<size_t>(o.ids[r]) : 0;
    const float factor = known && o.table_i8 != nullptr ? o.table_scales[id] * o.multiplier : o.multiplier;
    for (size_t i = 0; i < o.width; ++i) {
      float element = 0.0f;
      if (known) element = element_of(o, id, i);
      o.output[r * stride + i] =
          has_positions ? std::fma(element, factor, o.positions[position_row(o, r) * o.width + i]) : element * factor;
    }
  }
}

}  // namespace dragoman::kernels::reference
