// Reads the network's small structs out of the verified FlatBuffer.
// Neighbours: graph_view.h says what the fields mean; verify_graph.cc has checked them.
#include "model/graph_view.h"

#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

constexpr const char* kOpNames[kNumOpKinds] = {"none",     "Embed",           "PositionTable",
                                               "Linear",   "LayerNorm",       "Add",
                                               "Activate", "SelfAttention",   "CrossAttention",
                                               "Ssru",     "Logits",          "CachedSelfAttention",
                                               "RmsNorm",  "GatedLinearUnit", "Mul"};
constexpr const char* kRowSpaceNames[kNumRowSpaces] = {"source", "hypothesis", "sentence", "fixed"};
constexpr const char* kProgramNames[kNumPrograms] = {"encode", "begin", "step"};

static_assert(static_cast<size_t>(schema::Op::MAX) + 1 == kNumOpKinds, "OpKind lags behind schema Op");
static_assert(static_cast<size_t>(schema::RowSpace::MAX) + 1 == kNumRowSpaces, "RowSpace lags behind the schema");
static_assert(static_cast<size_t>(schema::StateKind::MAX) + 1 == kNumStateKinds, "StateKind lags behind the schema");

#define DRAGOMAN_SAME_OP(name) \
  static_assert(static_cast<int>(OpKind::k##name) == static_cast<int>(schema::OpTraits<schema::name>::enum_value))
DRAGOMAN_SAME_OP(Embed);
DRAGOMAN_SAME_OP(PositionTable);
DRAGOMAN_SAME_OP(Linear);
DRAGOMAN_SAME_OP(LayerNorm);
DRAGOMAN_SAME_OP(Add);
DRAGOMAN_SAME_OP(Activate);
DRAGOMAN_SAME_OP(SelfAttention);
DRAGOMAN_SAME_OP(CrossAttention);
DRAGOMAN_SAME_OP(Ssru);
DRAGOMAN_SAME_OP(Logits);
DRAGOMAN_SAME_OP(CachedSelfAttention);
DRAGOMAN_SAME_OP(RmsNorm);
DRAGOMAN_SAME_OP(GatedLinearUnit);
DRAGOMAN_SAME_OP(Mul);
#undef DRAGOMAN_SAME_OP

std::span<const uint32_t> span_of(const flatbuffers::Vector<uint32_t>* vector) {
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

}  // namespace

const char* op_name(OpKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kNumOpKinds ? kOpNames[index] : "unknown";
}

const char* row_space_name(RowSpace space) {
  const auto index = static_cast<size_t>(space);
  return index < kNumRowSpaces ? kRowSpaceNames[index] : "unknown";
}

const char* program_name(ProgramKind kind) { return kProgramNames[static_cast<size_t>(kind)]; }

size_t ProgramView::num_values() const { return program_ == nullptr ? 0 : program_->values()->size(); }
size_t ProgramView::num_nodes() const { return program_ == nullptr ? 0 : program_->nodes()->size(); }
int32_t ProgramView::input() const { return program_ == nullptr ? -1 : program_->input(); }
int32_t ProgramView::output() const { return program_ == nullptr ? -1 : program_->output(); }

ValueInfo ProgramView::value(size_t index) const {
  const schema::Value& v = *program_->values()->Get(static_cast<uint32_t>(index));
  return {v.name()->c_str(), static_cast<RowSpace>(v.row_space()), v.width(), v.state(), v.fixed_rows()};
}

NodeInfo ProgramView::node(size_t index) const {
  const schema::Node& n = *program_->nodes()->Get(static_cast<uint32_t>(index));
  return {static_cast<OpKind>(n.op_type()), n.op(), span_of(n.inputs()), span_of(n.outputs())};
}

}  // namespace dragoman::model
