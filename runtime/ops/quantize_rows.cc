#include "ops/quantize_rows.h"

#include "kernels/quantize.h"

namespace dragoman::ops {

void QuantizeRows::run(const RunContext& run) {
  const float* input = value_.first_row(run);
  for_row_blocks(run, value_.rows(run), 8, [&](size_t begin, size_t end, size_t) {
    kernels::QuantizeOptions options;
    options.rows = end - begin;
    options.width = value_.width;
    options.input_stride = value_.stride;
    kernels::quantize_rows(input + begin * value_.stride, options, value_.i8 + begin * value_.width,
                           value_.quantization + begin);
  });
}

}  // namespace dragoman::ops
