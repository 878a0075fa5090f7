// quantize_rows on Highway. Neighbours: quantize_inl.h (one row), quantize_reference.cc (the specification).
#include "kernels/quantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantize.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/quantize_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

void quantize_rows_body(const float* input, const QuantizeOptions& options, int8_t* output,
                        RowQuantization* quantization) {
  const size_t input_stride = options.input_stride != 0 ? options.input_stride : options.width;
  const size_t output_stride = options.output_stride != 0 ? options.output_stride : options.width;
  for (size_t r = 0; r < options.rows; ++r) {
    quantization[r] = quantize_row(input + r * input_stride, options.width, output + r * output_stride);
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(quantize)
HWY_EXPORT(quantize_rows_body);

void quantize_rows(const float* input, const QuantizeOptions& options, int8_t* output, RowQuantization* quantization) {
  HWY_DYNAMIC_DISPATCH(quantize_rows_body)(input, options, output, quantization);
}

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
