// Embedding rows in plain C++: the specification. Neighbours: embed.cc.
#include <cmath>

#include "kernels/embed.h"

namespace dragoman::kernels::reference {

void embed_rows(const EmbedOptions& o) {
  const size_t stride = o.output_stride != 0 ? o.output_stride : o.width;
  const bool has_positions = o.positions != nullptr && o.position_rows != 0;
  for (size_t r = 0; r < o.rows; ++r) {
    const bool known = o.ids[r] >= 0 && static_cast<size_t>(o.ids[r]) < o.table_rows;
    const size_t id = known ? static_cast<size_t>(o.ids[r]) : 0;
    const float factor = known && o.table_i8 != nullptr ? o.table_scales[id] * o.multiplier : o.multiplier;
    for (size_t i = 0; i < o.width; ++i) {
      float element = 0.0f;
      if (known) {
        element =
            o.table_i8 != nullptr ? static_cast<float>(o.table_i8[id * o.width + i]) : o.table_f32[id * o.width + i];
      }
      o.output[r * stride + i] =
          has_positions ? std::fma(element, factor, o.positions[position_row(o, r) * o.width + i]) : element * factor;
    }
  }
}

}  // namespace dragoman::kernels::reference
