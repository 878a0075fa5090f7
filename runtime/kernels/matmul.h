// Matrix products of a Linear node: rows of activations times a stored weight matrix, through XNNPACK.
// Neighbours: ops/linear creates one Matmul per node and session; kernels/packed_weights.h holds what they share;
// kernels/quantize makes the int8 rows; kernels/matmul_reference.h is the specification the tests compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/status.h"
#include "base/tensor_view.h"
#include "base/thread_pool.h"
#include "kernels/heap_account.h"
#include "kernels/int4.h"
#include "kernels/matmul_grouping.h"
#include "kernels/packed_weights.h"
#include "kernels/row_quantization.h"

struct xnn_operator;

namespace dragoman::kernels {

// A kernel may read (never use) this many bytes behind the last input row: input buffers are carved that much longer.
inline constexpr size_t kMatmulExtraInputBytes = 16;
// This many RowQuantization entries behind the last row's must be writable; run() borrows them and puts them back.
// (XNNPACK asks for 10, but its 16-row AMX kernel reads 15.)
inline constexpr size_t kMatmulExtraRowParameters = 16;

// Longest int8 row whose exact sum cannot leave int32: 255 * 128 * 65536 < 2^31.
inline constexpr size_t kMaxQuantizedInputs = 65536;

// What the activations of a product are.
enum class MatmulInput : uint8_t {
  kQuantizedRows,  // int8 [rows, inputs] with one RowQuantization per row; weights must be kI8 or kI4
  kFloatRows,  // f32 [rows, inputs]; weights kI8 (used as weight * scale, in f32), kF32, kF16 or kI4 (packed as f32)
};

// One product: out[r][o] = clamp(sum_i(in[r][i] * weights[o][i]) + bias[o], output_min, output_max).
// Everything it points to is borrowed, is read by prepare() and create() only, and must stay where it is as long as the
// PackedWeights that it was packed into: the addresses are its keys there.
struct MatmulSpec {
  MatmulInput input = MatmulInput::kQuantizedRows;
  ElementType weight_type = ElementType::kI8;  // kI8, kF32, kF16 or kI4
  // [outputs, inputs] row-major, contiguous, naturally aligned. kI4: kernels/int4.h. kI8: within [-127, 127], which
  // nobody checks here: on ARM cores without the dot product instruction two products of -128 and -128 side by side
  // leave 16 bits, and the sum is wrong.
  const void* weights = nullptr;
  const float* scales = nullptr;           // [outputs], positive normal numbers; kI8 only, else null
  const uint16_t* block_scales = nullptr;  // [outputs, inputs / kInt4Block], likewise; kI4 only, else null
  const float* bias = nullptr;             // [outputs] or null for none
  size_t inputs = 0;                       // >= 1; at most kMaxQuantizedInputs for int8 rows
  size_t outputs = 0;                      // >= 1
  size_t input_stride = 0;                 // elements from row to row, >= inputs; 0 means inputs
  size_t output_stride = 0;                // elements from row to row, >= outputs; 0 means outputs
  float output_min = -std::numeric_limits<float>::infinity();  // 0 for a fused relu
  float output_max = std::numeric_limits<float>::infinity();

  size_t input_step() const { return input_stride == 0 ? inputs : input_stride; }
  size_t output_step() const { return output_stride == 0 ? outputs : output_stride; }
};

// The activations of one call, borrowed for its duration.
struct MatmulRows {
  // `values` [count, inputs] int8 at the product's input_stride, kMatmulExtraInputBytes readable behind the last row;
  // `quantization` [count + kMatmulExtraRowParameters], not null.
  MatmulRows(const int8_t* values, RowQuantization* quantization, size_t count)
      : values(values), quantization(quantization), count(count) {}
  // `values` [count, inputs] f32 at the product's input_stride, kMatmulExtraInputBytes readable behind the last row.
  MatmulRows(const float* values, size_t count) : values(values), count(count) {}

  const void* values;
  RowQuantization* quantization = nullptr;
  size_t count;
};

// A product ready to run. Keeps the state of the current call, so it serves one session at a time; the packed weights
// behind it are shared. A row's result has the same bits whatever rows stand beside it and whatever the number of
// threads; for int8 rows also the same on every x86-64 machine with FMA and every aarch64 machine (float rows are
// summed in an order that XNNPACK chooses by processor). Denormal results become zero.
class Matmul {
 public:
  Matmul() = default;
  ~Matmul();
  Matmul(Matmul&& other) noexcept;
  Matmul& operator=(Matmul&& other) noexcept;
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  // Packs the weights of `spec` (once per PackedWeights, however many sessions follow) and returns exactly how many
  // bytes a later create() of the same spec charges to its account, in one allocation. For model load: call it for
  // every product, then weights.seal(). Errors: kInvalidArgument (shape, type, range), kOutOfMemory, kUnsupported.
  static Result<size_t> prepare(const MatmulSpec& spec, PackedWeights& weights);

  // Makes `*out` ready to run; what it allocates is charged to `account` and given back when the product is destroyed.
  // `weights` and `account` must outlive it, and `account` must not move. Several threads may create from one
  // PackedWeights at once. A product that was not prepared packs its weights here; after seal() it is refused with
  // kInternal. Other errors as prepare().
  static Status create(const MatmulSpec& spec, PackedWeights& weights, HeapAccount& account, Matmul* out);

  // Writes out[r * output_stride + o] for all rows; elements between outputs and output_stride stay as they were. An
  // int8 row with kSpoiledScale gives NaN, whatever the bounds of the output.
  // `out` must not overlap the input. No rows: nothing happens. Never allocates. Small products stay on the calling
  // thread. `threads` may change from call to call (cheapest when it does not, and when the number of rows does not).
  // False only for a misuse that never depends on a file or a text: a product that was not created, or rows of the
  // other kind.
  bool run(const MatmulRows& rows, float* out, const ThreadPool& threads);

 private:
  bool reshape(size_t rows, pthreadpool* pool);
  bool run_shaped(const MatmulRows& rows, float* out);
  bool run_rows(const MatmulRows& rows, float* out, pthreadpool* pool);

  xnn_operator* operator_ = nullptr;
  size_t rows_ = 0;              // what the operator was last shaped for; 0 is never
  pthreadpool* pool_ = nullptr;  // likewise
  size_t row_work_ = 0;          // multiplications per row
  size_t input_bytes_ = 0;       // from row to row
  size_t outputs_ = 0;           // elements of a row
  size_t output_step_ = 0;       // from row to row
  RowGrouping grouping_ = {1, 0};
  uint8_t kind_ = 0;  // which of XNNPACK's operators it is
};

}  // namespace dragoman::kernels
