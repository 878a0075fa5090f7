// What an operator is: checks at load, prepares weights once per model, is created once per session, runs without
// failing. Neighbours: one file per operator defines an OpDefinition; graph/ walks nodes through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "base/arena.h"
#include "base/status.h"
#include "base/tensor_view.h"
#include "kernels/cache_rows.h"
#include "kernels/heap_account.h"
#include "kernels/packed_weights.h"
#include "kernels/row_quantization.h"
#include "model/model_view.h"
#include "ops/run_context.h"

namespace dragoman::ops {

// Arithmetic of the products whose weights are integers.
enum class Compute : uint8_t { kInt8, kF32 };

// Rows that a session reserves, fixed at its creation.
struct Capacities {
  size_t source_rows = 0;        // of one run of encode and begin
  size_t source_state_rows = 0;  // of all sentences in flight
  size_t hypothesis_rows = 0;
  size_t max_source_length = 0;  // rows of one sentence
  size_t threads = 1;
  size_t target_positions = 1;  // of one hypothesis: rows of a position cache per slot
  kernels::CacheType cache_type = kernels::CacheType::kF32;

  size_t rows(model::RowSpace space) const { return space == model::RowSpace::kSource ? source_rows : hypothesis_rows; }
};

// A value bound to memory: rows of f32, of int8, or both. What is not needed is null.
struct Matrix {
  const char* name = "";
  model::RowSpace space = model::RowSpace::kSource;
  size_t width = 0;
  float* f32 = nullptr;  // [rows, width], `stride` floats from row to row
  size_t stride = 0;
  int8_t* i8 = nullptr;                              // [rows, width], contiguous
  kernels::RowQuantization* quantization = nullptr;  // [rows], with i8
  bool in_source_state = false;  // f32 is a source state: this run's rows start at source_state_begin

  size_t rows(const RunContext& run) const {
    return space == model::RowSpace::kSource ? run.source_rows : run.hypothesis_rows;
  }
  float* first_row(const RunContext& run) const {
    return in_source_state ? f32 + run.source_state_begin * stride : f32;
  }
};

// Memory that outlives a run. Hypothesis states have two copies, read and written in turn; a position cache has
// [target_positions, slots] rows of kernels/cache_rows.h instead, of which one is written per hypothesis and run.
struct StateMatrix {
  const char* name = "";
  size_t width = 0;
  size_t stride = 0;
  float* copies[2] = {nullptr, nullptr};
  std::byte* cache = nullptr;  // position caches only, likewise below
  kernels::CacheType cache_type = kernels::CacheType::kF32;
  size_t slots = 0;
  size_t row_bytes = 0;
};

// One node where it stands. Borrowed.
struct NodeContext {
  const model::ModelView& model;
  const model::ProgramView& program;
  model::NodeInfo node;
  Compute compute;
  size_t heads_before = 0;  // heads of the program's cross-attentions before this node

  model::ValueInfo input(size_t i) const { return program.value(node.inputs[i]); }
  model::ValueInfo output() const { return program.value(node.outputs[0]); }
  // The schema table of the operator's options.
  template <typename Options>
  const Options& options() const {
    return *static_cast<const Options*>(node.options);
  }
};

// A node's memory in one session.
struct Bindings {
  Matrix inputs[2];
  Matrix output;
  std::span<const StateMatrix> states;
  std::byte* scratch = nullptr;  // [threads, scratch_stride] bytes
  size_t scratch_stride = 0;

  std::byte* thread_scratch(size_t thread) const { return scratch + thread * scratch_stride; }
};

// What the plan must know of a node before it can place its values.
struct NodeNeeds {
  bool quantized_input = false;  // input 0 is read as int8 rows (and only so)
  bool emits_quantized = false;  // writes int8 rows of its output itself when a later node wants them
  size_t scratch_bytes = 0;      // per thread
};

// An operator of one session. Created in the session's block.
class Operator {
 public:
  virtual ~Operator() = default;
  // Computes the output's live rows. Relies on everything checked before: cannot fail.
  virtual void run(const RunContext& run) = 0;
};

// What creating needs beside the bindings.
struct CreateContext {
  const NodeContext& node;
  const Bindings& bindings;
  kernels::PackedWeights& weights;
  kernels::HeapAccount& account;
};

// One kind of operator. All functions are set.
struct OpDefinition {
  const char* name;
  // Refuses a node whose inputs, outputs, tensors or options do not fit together; names the node.
  Status (*check)(const NodeContext& node);
  // The node passed check().
  NodeNeeds (*needs)(const NodeContext& node, const Capacities& capacities);
  // Packs the node's weights for this machine; returns the bytes that create() will charge to a session's account.
  Result<size_t> (*prepare)(const NodeContext& node, kernels::PackedWeights& weights);
  // Constructs the operator at `place` (instance_bytes, kBufferAlignment).
  Result<Operator*> (*create)(const CreateContext& context, void* place);
  size_t instance_bytes;
};

// Heads of a node, if it is a cross-attention, else 0.
size_t cross_attention_heads(const model::NodeInfo& node);

// The definition of every operator of the schema; null for one this build does not know.
const OpDefinition* find_op(model::OpKind kind);

// ---- helpers for operators ------------------------------------------------------------------------------------------

// "encoder.layer1: LayerNorm: ..." in front of a refusal.
Status refuse(const NodeContext& node, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Refuses a node that has not this many inputs and outputs.
Status expect_arity(const NodeContext& node, size_t min_inputs, size_t max_inputs, size_t outputs);

// Refuses a node whose inputs do not all have the width and row space of its output.
Status expect_same_shape(const NodeContext& node);

// Refuses a tensor index that is out of range or a tensor of another type or shape. rows or columns 0: any.
struct TensorExpectation {
  const char* role;
  size_t rows = 0;
  size_t columns = 0;
  bool weight = false;  // I8 with scales, F16 and I4 in blocks too; F32 is always allowed
};
Status expect_tensor(const NodeContext& node, int64_t index, const TensorExpectation& expected);

// Calls body(begin, end, thread) over all rows, in blocks of at most `block` rows when there are several threads.
template <typename Body>
void for_row_blocks(const RunContext& run, size_t rows, size_t block, const Body& body) {
  if (run.threads->num_threads() == 1 || rows <= block) {
    body(size_t{0}, rows, size_t{0});
    return;
  }
  run.threads->for_each((rows + block - 1) / block, [&](size_t i, size_t thread) {
    const size_t begin = i * block;
    const size_t end = begin + block < rows ? begin + block : rows;
    body(begin, end, thread);
  });
}

// Nothing beside its values.
inline NodeNeeds needs_nothing(const NodeContext&, const Capacities&) { return NodeNeeds{}; }

// No weights to pack.
inline Result<size_t> prepare_nothing(const NodeContext&, kernels::PackedWeights&) { return size_t{0}; }

// Constructs an Op(context) that cannot fail.
template <typename Op>
Result<Operator*> create_simple(const CreateContext& context, void* place) {
  return static_cast<Operator*>(new (place) Op(context));
}

}  // namespace dragoman::ops
