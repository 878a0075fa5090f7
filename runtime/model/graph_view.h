// The network of a model as small plain structs, so that planner and executor need no generated header.
// Neighbours: ModelView makes them from the verified FlatBuffer, ops/ decodes a node's options, graph/ plans and runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dragoman::schema {
struct Program;
}

namespace dragoman::model {

// Values equal schema Op. kNone never appears in a verified model.
enum class OpKind : uint8_t {
  kNone = 0,
  kEmbed = 1,
  kPositionTable = 2,
  kLinear = 3,
  kLayerNorm = 4,
  kAdd = 5,
  kActivate = 6,
  kSelfAttention = 7,
  kCrossAttention = 8,
  kSsru = 9,
  kLogits = 10,
  kCachedSelfAttention = 11,
  kRmsNorm = 12,
  kGatedLinearUnit = 13,
  kMul = 14,
};
inline constexpr size_t kNumOpKinds = 15;

// The schema's name of an operator, for messages and inspect.
const char* op_name(OpKind kind);

// Values equal schema RowSpace.
enum class RowSpace : uint8_t { kSource = 0, kHypothesis = 1, kSentence = 2, kFixed = 3 };
inline constexpr size_t kNumRowSpaces = 4;

const char* row_space_name(RowSpace space);

inline constexpr uint32_t kMaxWidth = 1u << 20;
inline constexpr uint32_t kMaxVocabulary = 1u << 24;
inline constexpr uint32_t kMaxFixedRows = 1u << 24;
inline constexpr size_t kMaxValues = 1u << 14;  // of one program; nodes too: placing values takes the square in time
inline constexpr size_t kMaxNodeValues = 16;    // inputs of one node; outputs too
inline constexpr size_t kMaxStates = 4096;
inline constexpr size_t kMaxTensors = 1u << 16;
inline constexpr size_t kMaxNameBytes = 255;
inline constexpr uint32_t kI4Block = 32;  // columns of an int4 weight that share a scale

// A matrix [rows of row_space, width] of f32.
struct ValueInfo {
  const char* name = "";
  RowSpace row_space = RowSpace::kSource;
  uint32_t width = 0;       // 1 to kMaxWidth
  int32_t state = -1;       // index of the state it lives in (same row space and width), or -1: temporary
  uint32_t fixed_rows = 0;  // 1 to kMaxFixedRows for kFixed, else 0
};

// Values equal schema StateKind.
enum class StateKind : uint8_t { kRows = 0, kPositionCache = 1 };
inline constexpr size_t kNumStateKinds = 2;

// Memory that outlives one run of a program. kRows: [rows of row_space, width] of f32. kPositionCache: a row of `width`
// elements, keys then values, for each target position and hypothesis; width is even, row_space kHypothesis.
struct StateInfo {
  const char* name = "";
  RowSpace row_space = RowSpace::kSource;  // kSource or kHypothesis
  uint32_t width = 0;                      // 1 to kMaxWidth
  StateKind kind = StateKind::kRows;
};

// One operator. `options` points to the schema table of `op` (schema::Linear for kLinear and so on), never null.
// Every index is below the program's num_values().
struct NodeInfo {
  OpKind op = OpKind::kNone;
  const void* options = nullptr;
  std::span<const uint32_t> inputs;
  std::span<const uint32_t> outputs;
};

// A straight-line program. Borrowed from the model's bytes; cheap to copy; reads are constant time and do not allocate.
// Verified: nodes stand in execution order, and each value that is read or is the output was written exactly once
// before.
class ProgramView {
 public:
  ProgramView() = default;
  explicit ProgramView(const schema::Program* program) : program_(program) {}

  // False when the model has no such program; then there are no values and no nodes.
  bool present() const { return program_ != nullptr; }

  size_t num_values() const;
  ValueInfo value(size_t index) const;  // index < num_values()
  size_t num_nodes() const;
  NodeInfo node(size_t index) const;  // index < num_nodes()

  int32_t input() const;   // value bound to the previous program's output, or -1
  int32_t output() const;  // value handed to the next program, or -1

 private:
  const schema::Program* program_ = nullptr;
};

// `encode`, then `begin` over the same source rows, then `step` once a target position.
enum class ProgramKind : uint8_t { kEncode = 0, kBegin = 1, kStep = 2 };
inline constexpr size_t kNumPrograms = 3;

const char* program_name(ProgramKind kind);

}  // namespace dragoman::model
