// Builds the network's programs node by node: one typed method an operator, shapes followed as it goes.
// Neighbours: families/ call it, the writer stores the schema objects it fills.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::schema {
struct GraphT;
struct ProgramT;
struct NodeT;
}  // namespace dragoman::schema

namespace dragoman::converter {

// Index of a value in its program.
using ValueId = uint32_t;

enum class RowSpace : uint8_t { kSource, kHypothesis };
enum class Activation : uint8_t { kNone, kRelu, kSwish, kGeluSigmoid, kGeluErf, kGeluTanh };

// Tensors of one Linear: weight [outputs, inputs], bias [outputs] or -1.
struct LinearTensors {
  uint32_t weight = 0;
  int32_t bias = -1;
  uint32_t outputs = 0;
};

// Tensors of one norm, both [width]. Without a bias it is a root-mean-square norm, which does not centre its input.
struct NormTensors {
  uint32_t scale = 0;
  int32_t bias = -1;
  float epsilon = 1e-6f;
};

// What a cross attention reads: columns of a source state.
struct CrossKeys {
  uint32_t state = 0;
  uint32_t key_offset = 0;
  uint32_t value_offset = 0;
};

// What a cached self-attention needs besides its input.
struct CachedHeads {
  uint32_t num_heads = 0;
  uint32_t state = 0;
  int32_t relative_bias = -1;
};

// One straight-line program. Widths are the caller's promise; families check them against the tensors first.
class ProgramBuilder {
 public:
  // `program` is borrowed. Every value of the program has the row space given here.
  ProgramBuilder(schema::ProgramT* program, RowSpace rows) : program_(program), rows_(rows) {}

  // A value bound to the previous program's output.
  ValueId input(const std::string& name, uint32_t width);
  // scale * table[id], [rows, width].
  ValueId embed(const std::string& name, uint32_t table, float scale, uint32_t width);
  // x + table[position].
  ValueId position_table(const std::string& name, ValueId x, uint32_t table);
  // act(x W^T + b), [rows, outputs].
  ValueId linear(const std::string& name, ValueId x, const LinearTensors& tensors, Activation activation);
  // Normalized x.
  ValueId norm(const std::string& name, ValueId x, const NormTensors& tensors);
  // Normalized x + r.
  ValueId norm_of_sum(const std::string& name, ValueId x, ValueId r, const NormTensors& tensors);
  // x + r.
  ValueId add(const std::string& name, ValueId x, ValueId r);
  // qkv: [rows, 3 d] -> [rows, d]. relative_bias: [num_heads, 2 n + 1] by distance, or -1.
  ValueId self_attention(const std::string& name, ValueId qkv, uint32_t num_heads, int32_t relative_bias = -1);
  // qkv: [rows, 3 d] -> [rows, d], over all positions kept in the cache `state`. relative_bias: [num_heads, n + 1] or
  // -1.
  ValueId cached_self_attention(const std::string& name, ValueId qkv, const CachedHeads& heads);
  // act(a) * b of x: [rows, 2 d] = a | b -> [rows, d].
  ValueId gated_linear_unit(const std::string& name, ValueId x, Activation activation);
  // queries: [rows, d] -> [rows, d].
  ValueId cross_attention(const std::string& name, ValueId queries, uint32_t num_heads, const CrossKeys& keys);
  // x: [rows, 2 d] -> [rows, d]; `state` holds the cell.
  ValueId ssru(const std::string& name, ValueId x, uint32_t state);
  // Ends the program.
  void logits(ValueId x, uint32_t weight, int32_t bias);

  void rename(ValueId value, const std::string& name);
  // Keeps the value in a state instead of temporary memory.
  void store(ValueId value, uint32_t state);
  void set_output(ValueId value);
  uint32_t width(ValueId value) const;

 private:
  ValueId value(const std::string& name, uint32_t width);
  schema::NodeT& node(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);

  schema::ProgramT* program_;
  RowSpace rows_;
};

// The whole network: three programs over shared states.
class GraphBuilder {
 public:
  GraphBuilder();
  ~GraphBuilder();

  ProgramBuilder& encode() { return *encode_; }
  ProgramBuilder& begin() { return *begin_; }
  ProgramBuilder& step() { return *step_; }

  // Index of the new state.
  uint32_t add_state(const std::string& name, RowSpace rows, uint32_t width);
  // A hypothesis state that keeps one row a position. Index of the new state.
  uint32_t add_cache(const std::string& name, uint32_t width);
  void set_positions(uint32_t source, uint32_t target);
  void set_vocabularies(uint32_t source, uint32_t target);

  // The finished description; the builder is empty afterwards.
  std::unique_ptr<schema::GraphT> finish();

 private:
  std::unique_ptr<schema::GraphT> graph_;
  std::unique_ptr<ProgramBuilder> encode_, begin_, step_;
};

}  // namespace dragoman::converter
