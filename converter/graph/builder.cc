// Typed methods over the schema's object form.
// Neighbours: builder.h.
#include "converter/graph/builder.h"

#include <utility>

#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

schema::RowSpace to_schema(RowSpace rows) {
  return rows == RowSpace::kSource ? schema::RowSpace::Source : schema::RowSpace::Hypothesis;
}

schema::Activation to_schema(Activation activation) {
  switch (activation) {
    case Activation::kNone: return schema::Activation::None;
    case Activation::kRelu: return schema::Activation::Relu;
    case Activation::kSwish: return schema::Activation::Swish;
    case Activation::kGeluSigmoid: return schema::Activation::GeluSigmoid;
    case Activation::kGeluErf: return schema::Activation::GeluErf;
    case Activation::kGeluTanh: return schema::Activation::GeluTanh;
  }
  return schema::Activation::None;
}

}  // namespace

ValueId ProgramBuilder::value(const std::string& name, uint32_t width) {
  auto value = std::make_unique<schema::ValueT>();
  value->name = name;
  value->row_space = to_schema(rows_);
  value->width = width;
  program_->values.push_back(std::move(value));
  return static_cast<ValueId>(program_->values.size() - 1);
}

schema::NodeT& ProgramBuilder::node(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  auto node = std::make_unique<schema::NodeT>();
  node->inputs = std::move(inputs);
  node->outputs = std::move(outputs);
  program_->nodes.push_back(std::move(node));
  return *program_->nodes.back();
}

ValueId ProgramBuilder::input(const std::string& name, uint32_t width) {
  const ValueId out = value(name, width);
  program_->input = static_cast<int32_t>(out);
  return out;
}

ValueId ProgramBuilder::embed(const std::string& name, uint32_t table, float scale, uint32_t width) {
  const ValueId out = value(name, width);
  schema::EmbedT op;
  op.table = table;
  op.scale = scale;
  node({}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::position_table(const std::string& name, ValueId x, uint32_t table) {
  const ValueId out = value(name, width(x));
  schema::PositionTableT op;
  op.table = table;
  node({x}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::linear(const std::string& name, ValueId x, const LinearTensors& tensors,
                               Activation activation) {
  const ValueId out = value(name, tensors.outputs);
  schema::LinearT op;
  op.weight = tensors.weight;
  op.bias = tensors.bias;
  op.activation = to_schema(activation);
  node({x}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::norm(const std::string& name, ValueId x, const NormTensors& tensors) {
  const ValueId out = value(name, width(x));
  if (tensors.bias < 0) {
    schema::RmsNormT op;
    op.scale = tensors.scale;
    op.epsilon = tensors.epsilon;
    node({x}, {out}).op.Set(op);
    return out;
  }
  schema::LayerNormT op;
  op.scale = tensors.scale;
  op.bias = static_cast<uint32_t>(tensors.bias);
  op.epsilon = tensors.epsilon;
  node({x}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::norm_of_sum(const std::string& name, ValueId x, ValueId r, const NormTensors& tensors) {
  const ValueId out = norm(name, x, tensors);
  program_->nodes.back()->inputs.push_back(r);
  return out;
}

ValueId ProgramBuilder::add(const std::string& name, ValueId x, ValueId r) {
  const ValueId out = value(name, width(x));
  node({x, r}, {out}).op.Set(schema::AddT());
  return out;
}

ValueId ProgramBuilder::self_attention(const std::string& name, ValueId qkv, uint32_t num_heads,
                                       int32_t relative_bias) {
  const ValueId out = value(name, width(qkv) / 3);
  schema::SelfAttentionT op;
  op.num_heads = num_heads;
  op.relative_bias = relative_bias;
  node({qkv}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::cached_self_attention(const std::string& name, ValueId qkv, const CachedHeads& heads) {
  const ValueId out = value(name, width(qkv) / 3);
  schema::CachedSelfAttentionT op;
  op.num_heads = heads.num_heads;
  op.key_value_heads = 0;
  op.state = heads.state;
  op.relative_bias = heads.relative_bias;
  node({qkv}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::gated_linear_unit(const std::string& name, ValueId x, Activation activation) {
  const ValueId out = value(name, width(x) / 2);
  schema::GatedLinearUnitT op;
  op.activation = to_schema(activation);
  node({x}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::cross_attention(const std::string& name, ValueId queries, uint32_t num_heads,
                                        const CrossKeys& keys) {
  const ValueId out = value(name, width(queries));
  schema::CrossAttentionT op;
  op.num_heads = num_heads;
  op.state = keys.state;
  op.key_offset = keys.key_offset;
  op.value_offset = keys.value_offset;
  node({queries}, {out}).op.Set(op);
  return out;
}

ValueId ProgramBuilder::ssru(const std::string& name, ValueId x, uint32_t state) {
  const ValueId out = value(name, width(x) / 2);
  schema::SsruT op;
  op.state = state;
  node({x}, {out}).op.Set(op);
  return out;
}

void ProgramBuilder::logits(ValueId x, uint32_t weight, int32_t bias) {
  schema::LogitsT op;
  op.weight = weight;
  op.bias = bias;
  node({x}, {}).op.Set(op);
}

void ProgramBuilder::rename(ValueId value, const std::string& name) { program_->values[value]->name = name; }

void ProgramBuilder::store(ValueId value, uint32_t state) {
  program_->values[value]->state = static_cast<int32_t>(state);
}

void ProgramBuilder::set_output(ValueId value) { program_->output = static_cast<int32_t>(value); }

uint32_t ProgramBuilder::width(ValueId value) const { return program_->values[value]->width; }

GraphBuilder::GraphBuilder() : graph_(std::make_unique<schema::GraphT>()) {
  graph_->encode = std::make_unique<schema::ProgramT>();
  graph_->begin = std::make_unique<schema::ProgramT>();
  graph_->step = std::make_unique<schema::ProgramT>();
  encode_ = std::make_unique<ProgramBuilder>(graph_->encode.get(), RowSpace::kSource);
  begin_ = std::make_unique<ProgramBuilder>(graph_->begin.get(), RowSpace::kSource);
  step_ = std::make_unique<ProgramBuilder>(graph_->step.get(), RowSpace::kHypothesis);
}

GraphBuilder::~GraphBuilder() = default;

uint32_t GraphBuilder::add_state(const std::string& name, RowSpace rows, uint32_t width) {
  auto state = std::make_unique<schema::StateT>();
  state->name = name;
  state->row_space = to_schema(rows);
  state->width = width;
  graph_->states.push_back(std::move(state));
  return static_cast<uint32_t>(graph_->states.size() - 1);
}

uint32_t GraphBuilder::add_cache(const std::string& name, uint32_t width) {
  const uint32_t index = add_state(name, RowSpace::kHypothesis, width);
  graph_->states[index]->kind = schema::StateKind::PositionCache;
  return index;
}

void GraphBuilder::set_positions(uint32_t source, uint32_t target) {
  graph_->max_source_positions = source;
  graph_->max_target_positions = target;
}

void GraphBuilder::set_vocabularies(uint32_t source, uint32_t target) {
  graph_->source_vocabulary = source;
  graph_->target_vocabulary = target;
}

std::unique_ptr<schema::GraphT> GraphBuilder::finish() { return std::move(graph_); }

}  // namespace dragoman::converter
