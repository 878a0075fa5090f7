// Meaning of the network: states, then each program's values and nodes, then how programs follow one another.
// Neighbours: runs after verify_tensors.cc; what belongs to one operator is checked by ops/ when it is prepared.
#include <array>
#include <bitset>

#include "model/graph_view.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

// One program under check; `written` holds the values computed so far.
struct ProgramCheck {
  const char* name;
  ProgramKind kind;
  const schema::Program& program;
  const schema::Graph& graph;
  std::bitset<kMaxValues> written;
  std::bitset<kMaxStates> caches;  // position caches that a node fills
};

template <typename T>
uint32_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

Status verify_state_kind(const schema::State& state) {
  if (state.kind() > schema::StateKind::MAX) {
    return Status::error(Code::kUnsupported, "state '%s': kind %u is unknown to this library", state.name()->c_str(),
                         static_cast<unsigned>(state.kind()));
  }
  const bool cache = state.kind() == schema::StateKind::PositionCache;
  if (cache && (state.row_space() != schema::RowSpace::Hypothesis || state.width() % 2 != 0)) {
    return Status::error(Code::kDamaged, "state '%s': a position cache has hypothesis rows of an even width, found %u",
                         state.name()->c_str(), state.width());
  }
  return {};
}

Status verify_states(const schema::Graph& graph) {
  const uint32_t count = size_of(graph.states());
  if (count > kMaxStates) {
    return Status::error(Code::kUnsupported, "found %u states, at most %zu are supported", count, kMaxStates);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const schema::State& state = *graph.states()->Get(i);
    DRAGOMAN_RETURN_IF_ERROR(verify_name("state", i, state.name()));
    if (state.row_space() != schema::RowSpace::Source && state.row_space() != schema::RowSpace::Hypothesis) {
      return Status::error(Code::kDamaged, "state '%s': found row space %u, expected source or hypothesis",
                           state.name()->c_str(), static_cast<unsigned>(state.row_space()));
    }
    if (state.width() < 1 || state.width() > kMaxWidth) {
      return Status::error(Code::kDamaged, "state '%s': found width %u, expected 1 to %u", state.name()->c_str(),
                           state.width(), kMaxWidth);
    }
    DRAGOMAN_RETURN_IF_ERROR(verify_state_kind(state));
  }
  return {};
}

// A row space that the program runs over: source rows in encode and begin, hypotheses in step.
bool is_row_space_of(ProgramKind kind, schema::RowSpace space) {
  const bool step = kind == ProgramKind::kStep;
  return space == schema::RowSpace::Fixed || space == schema::RowSpace::Sentence ||
         space == (step ? schema::RowSpace::Hypothesis : schema::RowSpace::Source);
}

Status verify_value_state(const ProgramCheck& check, const schema::Value& value) {
  const char* name = value.name()->c_str();
  const uint32_t num_states = size_of(check.graph.states());
  if (value.state() < -1 || (value.state() >= 0 && static_cast<uint32_t>(value.state()) >= num_states)) {
    return Status::error(Code::kDamaged, "%s, value '%s': found state %d of %u", check.name, name, value.state(),
                         num_states);
  }
  if (value.state() == -1) return {};
  const schema::State& state = *check.graph.states()->Get(static_cast<uint32_t>(value.state()));
  if (state.kind() != schema::StateKind::Rows) {
    return Status::error(Code::kDamaged, "%s, value '%s': its state '%s' is a position cache", check.name, name,
                         state.name()->c_str());
  }
  if (state.row_space() != value.row_space() || state.width() != value.width()) {
    return Status::error(Code::kDamaged, "%s, value '%s': found width %u, its state '%s' has %u (or other rows)",
                         check.name, name, value.width(), state.name()->c_str(), state.width());
  }
  return {};
}

Status verify_value(const ProgramCheck& check, uint32_t index) {
  const schema::Value& value = *check.program.values()->Get(index);
  DRAGOMAN_RETURN_IF_ERROR(verify_name("value", index, value.name()));
  const char* name = value.name()->c_str();
  if (!is_row_space_of(check.kind, value.row_space())) {
    return Status::error(Code::kDamaged, "%s, value '%s': row space %u does not belong here", check.name, name,
                         static_cast<unsigned>(value.row_space()));
  }
  if (value.width() < 1 || value.width() > kMaxWidth) {
    return Status::error(Code::kDamaged, "%s, value '%s': found width %u, expected 1 to %u", check.name, name,
                         value.width(), kMaxWidth);
  }
  const bool fixed = value.row_space() == schema::RowSpace::Fixed;
  if (fixed ? (value.fixed_rows() < 1 || value.fixed_rows() > kMaxFixedRows) : value.fixed_rows() != 0) {
    return Status::error(Code::kDamaged, "%s, value '%s': found %u fixed rows", check.name, name, value.fixed_rows());
  }
  return verify_value_state(check, value);
}

Status verify_values(const ProgramCheck& check) {
  const uint32_t count = check.program.values()->size();
  if (count > kMaxValues) {
    return Status::error(Code::kUnsupported, "%s: found %u values, at most %zu are supported", check.name, count,
                         kMaxValues);
  }
  std::bitset<kMaxStates> used;
  for (uint32_t i = 0; i < count; ++i) {
    DRAGOMAN_RETURN_IF_ERROR(verify_value(check, i));
    const schema::Value& value = *check.program.values()->Get(i);
    if (value.state() < 0) continue;
    if (used[static_cast<size_t>(value.state())]) {
      return Status::error(Code::kDamaged, "%s, value '%s': another value lives in its state %d already", check.name,
                           value.name()->c_str(), value.state());
    }
    used.set(static_cast<size_t>(value.state()));
  }
  return {};
}

// Reads come after writes, and a value is written once.
Status verify_node_values(ProgramCheck& check, uint32_t index, const schema::Node& node) {
  const auto& values = *check.program.values();
  const char* op = op_name(static_cast<OpKind>(node.op_type()));
  if (size_of(node.inputs()) > kMaxNodeValues || size_of(node.outputs()) > kMaxNodeValues) {
    return Status::error(Code::kDamaged, "%s, node %u (%s): found %u inputs and %u outputs, at most %zu are allowed",
                         check.name, index, op, size_of(node.inputs()), size_of(node.outputs()), kMaxNodeValues);
  }
  for (uint32_t i = 0; i < size_of(node.inputs()); ++i) {
    const uint32_t v = node.inputs()->Get(i);
    if (v >= values.size() || !check.written[v]) {
      return Status::error(Code::kDamaged, "%s, node %u (%s): reads value %u of %u, which %s", check.name, index, op, v,
                           values.size(), v >= values.size() ? "does not exist" : "was not written before");
    }
  }
  for (uint32_t i = 0; i < size_of(node.outputs()); ++i) {
    const uint32_t v = node.outputs()->Get(i);
    if (v >= values.size() || check.written[v]) {
      return Status::error(Code::kDamaged, "%s, node %u (%s): writes value %u of %u, which %s", check.name, index, op,
                           v, values.size(), v >= values.size() ? "does not exist" : "was written before");
    }
    check.written.set(v);
  }
  return {};
}

// Logits ends `step`, hands its scores to the search and has no outputs.
Status verify_logits(const ProgramCheck& check, uint32_t index, const schema::Node& node) {
  const bool last_of_step = check.kind == ProgramKind::kStep && index + 1 == check.program.nodes()->size();
  const bool logits = node.op_type() == schema::Op::Logits;
  if (logits == last_of_step && !(logits && size_of(node.outputs()) != 0)) return {};
  return Status::error(Code::kDamaged,
                       "%s, node %u (%s): expected Logits, without outputs, as the last node of step only", check.name,
                       index, op_name(static_cast<OpKind>(node.op_type())));
}

// Two nodes in one position cache would take each other's rows. What else a node needs is checked by ops/.
Status verify_cache_owner(ProgramCheck& check, uint32_t index, const schema::Node& node) {
  const schema::CachedSelfAttention* attention = node.op_as_CachedSelfAttention();
  if (attention == nullptr || attention->state() >= size_of(check.graph.states())) return {};
  if (check.caches[attention->state()]) {
    return Status::error(Code::kDamaged, "%s, node %u (%s): another node fills its state '%s' already", check.name,
                         index, op_name(static_cast<OpKind>(node.op_type())),
                         check.graph.states()->Get(attention->state())->name()->c_str());
  }
  check.caches.set(attention->state());
  return {};
}

Status verify_nodes(ProgramCheck& check) {
  const auto& nodes = *check.program.nodes();
  if (nodes.size() > kMaxValues) {
    return Status::error(Code::kUnsupported, "%s: found %u nodes, at most %zu are supported", check.name, nodes.size(),
                         kMaxValues);
  }
  if (nodes.size() == 0) return Status::error(Code::kDamaged, "%s: found no nodes", check.name);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const schema::Node& node = *nodes.Get(i);
    if (node.op_type() == schema::Op::NONE || node.op_type() > schema::Op::MAX) {
      return Status::error(Code::kUnsupported, "%s, node %u: operator %u is unknown to this library", check.name, i,
                           static_cast<unsigned>(node.op_type()));
    }
    DRAGOMAN_RETURN_IF_ERROR(verify_logits(check, i, node));
    DRAGOMAN_RETURN_IF_ERROR(verify_node_values(check, i, node));
    DRAGOMAN_RETURN_IF_ERROR(verify_cache_owner(check, i, node));
  }
  return {};
}

Status verify_index(const ProgramCheck& check, const char* what, int32_t index) {
  if (index >= -1 && (index < 0 || static_cast<uint32_t>(index) < check.program.values()->size())) return {};
  return Status::error(Code::kDamaged, "%s: its %s is value %d of %u", check.name, what, index,
                       check.program.values()->size());
}

// Every value written once: by a node, or by the previous program for `input`.
Status verify_program(const schema::Graph& graph, ProgramKind kind, const schema::Program* program) {
  if (program == nullptr) return {};
  ProgramCheck check{program_name(kind), kind, *program, graph, {}, {}};
  DRAGOMAN_RETURN_IF_ERROR(verify_values(check));
  DRAGOMAN_RETURN_IF_ERROR(verify_index(check, "input", program->input()));
  DRAGOMAN_RETURN_IF_ERROR(verify_index(check, "output", program->output()));
  if (program->input() >= 0) check.written.set(static_cast<size_t>(program->input()));
  DRAGOMAN_RETURN_IF_ERROR(verify_nodes(check));
  for (uint32_t i = 0; i < program->values()->size(); ++i) {
    if (check.written[i]) continue;
    return Status::error(Code::kDamaged, "%s: value '%s' is never written", check.name,
                         program->values()->Get(i)->name()->c_str());
  }
  return {};
}

// The input of `next` must be there and look like the output of `previous`; both were verified by themselves.
Status verify_hand_over(const char* name, const schema::Program* previous, const schema::Program* next) {
  if (next == nullptr || next->input() < 0) return {};
  if (previous == nullptr || previous->output() < 0) {
    return Status::error(Code::kDamaged, "%s: it has an input, but no program before it has an output", name);
  }
  const schema::Value& from = *previous->values()->Get(static_cast<uint32_t>(previous->output()));
  const schema::Value& to = *next->values()->Get(static_cast<uint32_t>(next->input()));
  if (from.width() == to.width() && from.row_space() == to.row_space() && from.fixed_rows() == to.fixed_rows())
    return {};
  return Status::error(Code::kDamaged, "%s: its input '%s' has width %u, what it is given has %u (or other rows)", name,
                       to.name()->c_str(), to.width(), from.width());
}

}  // namespace

Status verify_graph(const VerifiedFile& file) {
  const schema::Graph& graph = *file.model->graph();
  if (graph.encode() == nullptr && (graph.step() == nullptr || graph.begin() != nullptr)) {
    return Status::error(Code::kDamaged, "graph: found neither encode nor a step without begin");
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_states(graph));
  DRAGOMAN_RETURN_IF_ERROR(verify_program(graph, ProgramKind::kEncode, graph.encode()));
  DRAGOMAN_RETURN_IF_ERROR(verify_program(graph, ProgramKind::kBegin, graph.begin()));
  DRAGOMAN_RETURN_IF_ERROR(verify_program(graph, ProgramKind::kStep, graph.step()));
  DRAGOMAN_RETURN_IF_ERROR(verify_hand_over("encode", nullptr, graph.encode()));
  DRAGOMAN_RETURN_IF_ERROR(verify_hand_over("begin", graph.encode(), graph.begin()));
  return verify_hand_over("step", graph.begin(), graph.step());
}

}  // namespace dragoman::model
