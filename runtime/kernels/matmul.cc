// Matrix products through XNNPACK's fully connected operators; the only file that includes xnnpack.h.
// Neighbours: kernels/packed_weights.h keeps the packed matrices, kernels/matmul_weights.h turns weights into what
// XNNPACK packs, kernels/heap_blocks.h counts what it allocates.
#include "kernels/matmul.h"

#include <xnnpack.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/heap_blocks.h"
#include "kernels/matmul_check.h"
#include "kernels/matmul_weights.h"

namespace dragoman::kernels {
namespace {

static_assert(kMatmulExtraInputBytes >= XNN_EXTRA_BYTES);
static_assert(kMatmulExtraRowParameters >= XNN_EXTRA_QUANTIZATION_PARAMS);
static_assert(sizeof(RowQuantization) == sizeof(xnn_quantization_params));
static_assert(offsetof(RowQuantization, zero_point) == offsetof(xnn_quantization_params, zero_point));
static_assert(offsetof(RowQuantization, scale) == offsetof(xnn_quantization_params, scale));

// Below this many multiplications (4 us of an AVX-512 core) handing work to other threads costs more than it saves.
constexpr size_t kMinParallelWork = size_t{1} << 19;

enum Kind : uint8_t { kInt8Rows, kFloatRowsInt8Weights, kFloatRowsFloatWeights, kInt8RowsInt4Weights };

Kind kind_of(const MatmulSpec& spec) {
  if (spec.input == MatmulInput::kQuantizedRows) {
    return spec.weight_type == ElementType::kI4 ? kInt8RowsInt4Weights : kInt8Rows;
  }
  return spec.weight_type == ElementType::kI8 ? kFloatRowsInt8Weights : kFloatRowsFloatWeights;
}

bool takes_int8_rows(uint8_t kind) { return kind == kInt8Rows || kind == kInt8RowsInt4Weights; }

// --- XNNPACK's allocator: every block is charged to the account in force. ---

void* allocate(void*, size_t bytes) { return allocate_heap_block(bytes, kHeapBlockHeaderBytes); }
void* allocate_aligned(void*, size_t alignment, size_t bytes) { return allocate_heap_block(bytes, alignment); }
void release(void*, void* block) { release_heap_block(block); }

void* reallocate(void*, void* block, size_t bytes) {
  void* larger = allocate_heap_block(bytes, kHeapBlockHeaderBytes);
  if (larger == nullptr || block == nullptr) return larger;
  const size_t had = heap_block_bytes(block);
  std::memcpy(larger, block, had < bytes ? had : bytes);
  release_heap_block(block);
  return larger;
}

constexpr xnn_allocator kAllocator = {nullptr, allocate, reallocate, release, allocate_aligned, release};

bool initialize() {
  static const bool initialized = xnn_initialize(&kAllocator) == xnn_status_success;
  return initialized;
}

// --- XNNPACK's weights cache. Its offsets are addresses, so an operator needs nothing of it at run time. ---

constinit thread_local PackingTurn* turn_in_force = nullptr;

size_t offset_of(const void* address) { return address == nullptr ? SIZE_MAX : reinterpret_cast<size_t>(address); }

// XNNPACK's key holds less than ours (not the scales), so the turn's own key is used.
size_t look_up(void*, const xnn_weights_cache_look_up_key*) { return offset_of(turn_in_force->find()); }
void* reserve_space(void*, size_t bytes) { return turn_in_force->reserve(bytes); }
size_t insert(void*, const xnn_weights_cache_look_up_key*, void*, size_t) { return offset_of(turn_in_force->keep()); }
bool is_finalized(void*) { return true; }
void* offset_to_address(void*, size_t offset) { return reinterpret_cast<void*>(offset); }
xnn_status delete_cache(void*) { return xnn_status_success; }

constinit xnn_weights_cache_provider weights_provider = {nullptr,      look_up,           reserve_space, insert,
                                                         is_finalized, offset_to_address, delete_cache};

// --- Creation. What is packed already is not read again. ---

xnn_status create_float_rows_int8_weights(const MatmulSpec& spec, bool packed, xnn_operator_t* op) {
  const auto* weights = static_cast<const int8_t*>(spec.weights);
  const auto create = [&](const float* bias) {
    return xnn_create_fully_connected_nc_f32_qc8w(spec.inputs, spec.outputs, spec.input_step(), spec.output_step(),
                                                  spec.scales, weights, bias, spec.output_min, spec.output_max, 0,
                                                  nullptr, &weights_provider, op);
  };
  if (packed || spec.bias == nullptr) return create(nullptr);
  // This kernel multiplies the sum, bias included, by the scale at its end.
  const ScratchArray<float> bias(spec.outputs);
  if (bias.get() == nullptr) return xnn_status_out_of_memory;
  divide_bias_by_scales(spec, bias.get());
  return create(bias.get());
}

xnn_status create_float_rows_float_weights(const MatmulSpec& spec, bool packed, xnn_operator_t* op) {
  const auto create = [&](const float* weights) {
    return xnn_create_fully_connected_nc_f32(spec.inputs, spec.outputs, spec.input_step(), spec.output_step(), weights,
                                             spec.bias, spec.output_min, spec.output_max, 0, nullptr, &weights_provider,
                                             op);
  };
  if (packed || spec.weight_type == ElementType::kF32) return create(static_cast<const float*>(spec.weights));
  const ScratchArray<float> weights(spec.outputs * spec.inputs);
  if (weights.get() == nullptr) return xnn_status_out_of_memory;
  weights_as_floats(spec, weights.get());
  return create(weights.get());
}

xnn_status create_int8_rows_int4_weights(const MatmulSpec& spec, bool packed, xnn_operator_t* op) {
  const auto create = [&](const void* weights) {
    return xnn_create_fully_connected_nc_qd8_f32_qb4w(
        spec.inputs, spec.outputs, spec.input_step(), spec.output_step(), kInt4Block, kInt4ZeroPoint, spec.block_scales,
        weights, spec.bias, spec.output_min, spec.output_max, 0, nullptr, &weights_provider, op);
  };
  if (packed) return create(spec.weights);
  const ScratchArray<uint8_t> weights(spec.outputs * spec.inputs / 2);
  if (weights.get() == nullptr) return xnn_status_out_of_memory;
  int4_weights_from_zero(spec, weights.get());
  return create(weights.get());
}

xnn_status create_operator(const MatmulSpec& spec, bool packed, xnn_operator_t* op) {
  switch (kind_of(spec)) {
    case kInt8Rows:
      return xnn_create_fully_connected_nc_qd8_f32_qc8w(
          spec.inputs, spec.outputs, spec.input_step(), spec.output_step(), spec.scales,
          static_cast<const int8_t*>(spec.weights), spec.bias, spec.output_min, spec.output_max, 0, nullptr,
          &weights_provider, op);
    case kFloatRowsInt8Weights: return create_float_rows_int8_weights(spec, packed, op);
    case kFloatRowsFloatWeights: return create_float_rows_float_weights(spec, packed, op);
    case kInt8RowsInt4Weights: return create_int8_rows_int4_weights(spec, packed, op);
  }
  return xnn_status_invalid_parameter;
}

Status creation_error(xnn_status status, const MatmulSpec& spec, bool refused) {
  Code code = Code::kInternal;
  const char* reason = "XNNPACK refused to create it";
  if (refused) {
    reason = "its weights were not packed when the model was loaded";
  } else if (status == xnn_status_out_of_memory) {
    code = Code::kOutOfMemory;
    reason = "out of memory";
  } else if (status == xnn_status_unsupported_hardware) {
    code = Code::kUnsupported;
    reason = "this processor has no kernel for it";
  }
  return Status::error(code, "matrix product [%zu, %zu]: %s", spec.outputs, spec.inputs, reason);
}

}  // namespace

Matmul::~Matmul() {
  if (operator_ != nullptr) xnn_delete_operator(operator_);
}

Matmul::Matmul(Matmul&& other) noexcept { *this = std::move(other); }

Matmul& Matmul::operator=(Matmul&& other) noexcept {
  std::swap(operator_, other.operator_);
  std::swap(rows_, other.rows_);
  std::swap(pool_, other.pool_);
  std::swap(row_work_, other.row_work_);
  std::swap(input_bytes_, other.input_bytes_);
  std::swap(outputs_, other.outputs_);
  std::swap(output_step_, other.output_step_);
  std::swap(grouping_, other.grouping_);
  std::swap(kind_, other.kind_);
  return *this;
}

Status Matmul::create(const MatmulSpec& spec, PackedWeights& weights, HeapAccount& account, Matmul* out) {
  DRAGOMAN_RETURN_IF_ERROR(check_matmul_shape(spec));
  if (!initialize()) return Status::error(Code::kUnsupported, "matrix product: unknown processor");
  const size_t charged_before = account.bytes;
  Matmul made;
  made.kind_ = kind_of(spec);
  made.row_work_ = spec.inputs * spec.outputs;
  made.input_bytes_ = spec.input_step() * (takes_int8_rows(made.kind_) ? sizeof(int8_t) : sizeof(float));
  made.outputs_ = spec.outputs;
  made.output_step_ = spec.output_step();
  if (made.kind_ == kInt8Rows) made.grouping_ = row_grouping_of_this_processor();
  {
    const void* scales = spec.block_scales != nullptr ? static_cast<const void*>(spec.block_scales) : spec.scales;
    PackingTurn turn(weights, {spec.weights, scales, spec.bias, spec.inputs, spec.outputs, made.kind_});
    const bool packed = turn.find() != nullptr;
    if (!packed) DRAGOMAN_RETURN_IF_ERROR(check_matmul_numbers(spec));
    const ChargeHeapTo payer(account);
    turn_in_force = &turn;
    const xnn_status status = create_operator(spec, packed, &made.operator_);
    turn_in_force = nullptr;
    if (status != xnn_status_success) return creation_error(status, spec, turn.refused());
  }
  if (account.bytes == charged_before) {
    return Status::error(Code::kInternal, "matrix product: XNNPACK was initialized with an allocator that is not ours");
  }
  *out = std::move(made);
  return Status();
}

Result<size_t> Matmul::prepare(const MatmulSpec& spec, PackedWeights& weights) {
  HeapAccount account;
  Matmul prototype;
  DRAGOMAN_RETURN_IF_ERROR(create(spec, weights, account, &prototype));
  return size_t{account.bytes};
}

// --- Running. ---

bool Matmul::reshape(size_t rows, pthreadpool* pool) {
  rows_ = 0;
  xnn_status status = xnn_status_invalid_parameter;
  switch (kind_) {
    case kInt8Rows: status = xnn_reshape_fully_connected_nc_qd8_f32_qc8w(operator_, rows, pool); break;
    case kFloatRowsInt8Weights: status = xnn_reshape_fully_connected_nc_f32_qc8w(operator_, rows, pool); break;
    case kFloatRowsFloatWeights: status = xnn_reshape_fully_connected_nc_f32(operator_, rows, pool); break;
    case kInt8RowsInt4Weights: status = xnn_reshape_fully_connected_nc_qd8_f32_qb4w(operator_, rows, pool); break;
  }
  if (status != xnn_status_success) return false;
  rows_ = rows;
  pool_ = pool;
  return true;
}

bool Matmul::run_shaped(const MatmulRows& rows, float* out) {
  xnn_status status = xnn_status_invalid_parameter;
  switch (kind_) {
    case kInt8Rows:
      status = xnn_setup_fully_connected_nc_qd8_f32_qc8w(
          operator_, static_cast<const int8_t*>(rows.values), out,
          reinterpret_cast<const xnn_quantization_params*>(rows.quantization));
      break;
    case kFloatRowsInt8Weights:
      status = xnn_setup_fully_connected_nc_f32_qc8w(operator_, static_cast<const float*>(rows.values), out);
      break;
    case kFloatRowsFloatWeights:
      status = xnn_setup_fully_connected_nc_f32(operator_, static_cast<const float*>(rows.values), out);
      break;
    case kInt8RowsInt4Weights:
      status = xnn_setup_fully_connected_nc_qd8_f32_qb4w(
          operator_, static_cast<const int8_t*>(rows.values), out,
          reinterpret_cast<const xnn_quantization_params*>(rows.quantization));
      break;
  }
  return status == xnn_status_success && xnn_run_operator(operator_, pool_) == xnn_status_success;
}

bool Matmul::run_rows(const MatmulRows& rows, float* out, pthreadpool* pool) {
  if (rows.count == 0) return true;
  // What reshape works out depends on these two alone.
  if ((rows.count != rows_ || pool != pool_) && !reshape(rows.count, pool)) return false;
  if (!takes_int8_rows(kind_)) return run_shaped(rows, out);
  // A kernel for m rows that is given fewer computes the last row again in place of each missing one and stores all of
  // them to the same place, but takes scale and zero point from what lies behind: those have to be the last row's.
  RowQuantization* behind = rows.quantization + rows.count;
  RowQuantization borrowed[kMatmulExtraRowParameters];
  std::memcpy(borrowed, behind, sizeof(borrowed));
  for (size_t i = 0; i < kMatmulExtraRowParameters; ++i) behind[i] = behind[-1];
  const bool ran = run_shaped(rows, out);
  std::memcpy(behind, borrowed, sizeof(borrowed));
  for (size_t r = 0; r < rows.count; ++r) {  // XNNPACK's bounds turn NaN into one of them, some on one processor only
    if (std::isnan(rows.quantization[r].scale)) std::fill_n(out + r * output_step_, outputs_, kSpoiledScale);
  }
  return ran;
}

bool Matmul::run(const MatmulRows& rows, float* out, const ThreadPool& threads) {
  if (operator_ == nullptr || takes_int8_rows(kind_) != (rows.quantization != nullptr)) return false;
  pthreadpool* pool = rows.count * row_work_ < kMinParallelWork ? nullptr : threads.native();
  if (pool != nullptr) return run_rows(rows, out, pool);
  MatmulRows part = rows;
  part.count = grouped_rows(rows.count, grouping_);
  bool ran = run_rows(part, out, nullptr);
  for (size_t r = part.count; r < rows.count; ++r) {
    MatmulRows one = rows;
    one.values = static_cast<const std::byte*>(rows.values) + r * input_bytes_;
    one.quantization = rows.quantization + r;
    one.count = 1;
    ran = ran && run_rows(one, out + r * output_step_, nullptr);
  }
  return ran;
}

}  // namespace dragoman::kernels
