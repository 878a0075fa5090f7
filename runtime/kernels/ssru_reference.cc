// One step of the SSRU cell in plain C++: the specification. Neighbours: ssru.cc, scalar_math.h.
#include <cmath>

#include "kernels/scalar_math.h"
#include "kernels/ssru.h"

namespace dragoman::kernels::reference {

void ssru_step(const SsruOptions& o) {
  const size_t input_stride = o.input_stride != 0 ? o.input_stride : 2 * o.width;
  const size_t output_stride = o.output_stride != 0 ? o.output_stride : o.width;
  for (size_t r = 0; r < o.rows; ++r) {
    const ptrdiff_t parent = o.parents != nullptr ? o.parents[r] : static_cast<ptrdiff_t>(r);
    const size_t slot = o.slots != nullptr ? static_cast<size_t>(o.slots[r]) : r;
    for (size_t i = 0; i < o.width; ++i) {
      const float x = o.input[r * input_stride + i];
      const float f = sigmoid(o.input[r * input_stride + o.width + i]);
      const float previous = parent >= 0 ? o.previous[static_cast<size_t>(parent) * o.width + i] : 0.0f;
      const float c = std::fma(f, previous, (1.0f - f) * x);
      o.next[slot * o.width + i] = c;
      o.output[r * output_stride + i] = c > 0.0f ? c : 0.0f;
    }
  }
}

}  // namespace dragoman::kernels::reference
