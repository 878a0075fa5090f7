// The tiny model: a student with one encoder layer and one SSRU decoder layer, made-up weights, a real tokenizer.
// Neighbours: see model_builder.h.
#include <map>
#include <utility>

#include "tests/support/model_builder.h"

namespace dragoman::test {

namespace {

using schema::Activation;
using schema::RowSpace;
using schema::TensorType;

constexpr uint32_t kWidth = 16;
constexpr uint32_t kInner = 32;
constexpr uint32_t kHeads = 2;
constexpr uint32_t kPositions = 64;
constexpr uint32_t kCrossState = 0;
constexpr uint32_t kCellState = 1;

// ---- tokenizer ------------------------------------------------------------------------------------------------------

// A double array in the unit format of runtime/text/double_array.h. Roomy rather than tight: every inner node has a
// block of 256 units of its own, and all values lie in the last block. Unused units are leaves, which no byte matches.
class DoubleArrayWriter {
 public:
  std::vector<uint32_t> write(const std::map<std::string, uint32_t>& values) {
    Node root;
    for (const auto& [key, value] : values) {
      Node* node = &root;
      for (unsigned char c : key) node = &node->children[c];
      node->value = static_cast<int64_t>(value);
    }
    units_.assign(256, kLeaf);
    units_[0] = 0;
    place(root, 0);
    const uint32_t leaves = static_cast<uint32_t>(units_.size());
    units_.resize(leaves + 256, kLeaf);
    for (size_t i = 0; i < ends_.size(); ++i) {
      const uint32_t leaf = leaves + static_cast<uint32_t>(i);
      units_[leaf] = kLeaf | ends_[i].second;
      units_[ends_[i].first] |= (ends_[i].first ^ leaf) << 10 | kHasLeaf;
    }
    return std::move(units_);
  }

 private:
  static constexpr uint32_t kLeaf = 1u << 31;
  static constexpr uint32_t kHasLeaf = 1u << 8;
  struct Node {
    std::map<unsigned char, Node> children;
    int64_t value = -1;
  };

  void place(const Node& node, uint32_t unit) {
    if (node.children.empty()) {
      ends_.emplace_back(unit, static_cast<uint32_t>(node.value));
      return;
    }
    const uint32_t block = static_cast<uint32_t>(units_.size());
    units_.resize(block + 256, kLeaf);
    units_[unit] |= (unit ^ block) << 10;
    if (node.value >= 0) {
      units_[unit] |= kHasLeaf;
      units_[block] = kLeaf | static_cast<uint32_t>(node.value);
    }
    for (const auto& [label, child] : node.children) {
      units_[block + label] = label;
      place(child, block + label);
    }
  }

  std::vector<uint32_t> units_;
  std::vector<std::pair<uint32_t, uint32_t>> ends_;  // unit of a node without children, its value
};

std::vector<std::string> tiny_pieces() {
  std::vector<std::string> pieces = {"</s>", "<unk>", "\xe2\x96\x81"};
  for (char c = 'a'; c <= 't'; ++c) pieces.emplace_back(1, c);
  pieces.emplace_back(".");
  return pieces;
}

void add_tokenizer(ModelBuilder& b) {
  const std::vector<std::string> pieces = tiny_pieces();
  std::vector<char> bytes;
  std::vector<uint32_t> offsets = {0};
  std::vector<float> scores;
  std::vector<uint8_t> types;
  std::map<std::string, uint32_t> keys;
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    bytes.insert(bytes.end(), pieces[i].begin(), pieces[i].end());
    offsets.push_back(static_cast<uint32_t>(bytes.size()));
    scores.push_back(i < 2 ? 0.0f : -1.0f - 0.125f * static_cast<float>(i));
    types.push_back(static_cast<uint8_t>(i == 0   ? schema::PieceType::Control
                                         : i == 1 ? schema::PieceType::Unknown
                                                  : schema::PieceType::Normal));
    if (i >= 2) keys.emplace(pieces[i], i);
  }
  const std::vector<uint32_t> trie = DoubleArrayWriter().write(keys);
  auto tokenizer = std::make_unique<schema::TokenizerT>();
  tokenizer->kind = schema::TokenizerKind::Unigram;
  tokenizer->piece_bytes = b.add("tokenizer.bytes", TensorType::U8, {bytes.size()}, bytes);
  tokenizer->piece_offsets = b.add("tokenizer.offsets", TensorType::U32, {offsets.size()}, offsets);
  tokenizer->piece_scores = b.add("tokenizer.scores", TensorType::F32, {scores.size()}, scores);
  tokenizer->piece_types = b.add("tokenizer.types", TensorType::U8, {types.size()}, types);
  tokenizer->piece_trie = b.add("tokenizer.trie", TensorType::U32, {trie.size()}, trie);
  tokenizer->num_ids = static_cast<uint32_t>(pieces.size());
  tokenizer->unknown_id = 1;
  tokenizer->unknown_score = -20.0f;
  tokenizer->unknown_surface = " \xe2\x81\x87 ";
  tokenizer->end_id = 0;
  tokenizer->add_dummy_prefix = true;
  tokenizer->remove_extra_whitespaces = true;
  tokenizer->escape_whitespaces = true;
  b.model.source_tokenizer = std::move(tokenizer);
}

// ---- network --------------------------------------------------------------------------------------------------------

// Appends values and nodes to one program, all values in one row space.
class ProgramWriter {
 public:
  explicit ProgramWriter(RowSpace space) : program(std::make_unique<schema::ProgramT>()), space_(space) {}

  uint32_t value(const std::string& name, uint32_t width, int32_t state = -1) {
    auto v = std::make_unique<schema::ValueT>();
    v->name = name;
    v->row_space = space_;
    v->width = width;
    v->state = state;
    program->values.push_back(std::move(v));
    return static_cast<uint32_t>(program->values.size() - 1);
  }

  template <typename Options>
  void node(Options options, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    auto n = std::make_unique<schema::NodeT>();
    n->op.Set(std::move(options));
    n->inputs = std::move(inputs);
    n->outputs = std::move(outputs);
    program->nodes.push_back(std::move(n));
  }

  std::unique_ptr<schema::ProgramT> program;

 private:
  RowSpace space_;
};

schema::LinearT linear(ModelBuilder& b, const std::string& name, uint32_t outputs, uint32_t inputs,
                       Activation activation = Activation::None) {
  schema::LinearT options;
  options.weight = b.add_int8(name + ".weight", outputs, inputs);
  options.bias = static_cast<int32_t>(b.add_f32(name + ".bias", {outputs}, 0.125f));
  options.activation = activation;
  return options;
}

schema::LayerNormT layer_norm(ModelBuilder& b, const std::string& name) {
  schema::LayerNormT options;
  options.scale = b.add_f32(name + ".scale", {kWidth}, 0.25f, 1.0f);
  options.bias = b.add_f32(name + ".bias", {kWidth}, 0.125f);
  options.epsilon = 1e-6f;
  return options;
}

schema::EmbedT embed(uint32_t table) {
  schema::EmbedT options;
  options.table = table;
  options.scale = 4.0f;
  return options;
}

schema::PositionTableT position(uint32_t table) {
  schema::PositionTableT options;
  options.table = table;
  return options;
}

std::unique_ptr<schema::ProgramT> encode(ModelBuilder& b, uint32_t table, uint32_t positions) {
  ProgramWriter p(RowSpace::Source);
  const uint32_t embedded = p.value("embedded", kWidth), x = p.value("x", kWidth), qkv = p.value("qkv", 3 * kWidth);
  const uint32_t attended = p.value("attended", kWidth), projected = p.value("projected", kWidth);
  const uint32_t y = p.value("y", kWidth), inner = p.value("inner", kInner), outer = p.value("outer", kWidth);
  const uint32_t z = p.value("encoded", kWidth);
  schema::SelfAttentionT attention;
  attention.num_heads = kHeads;
  p.node(embed(table), {}, {embedded});
  p.node(position(positions), {embedded}, {x});
  p.node(linear(b, "encoder.qkv", 3 * kWidth, kWidth), {x}, {qkv});
  p.node(attention, {qkv}, {attended});
  p.node(linear(b, "encoder.out", kWidth, kWidth), {attended}, {projected});
  p.node(layer_norm(b, "encoder.norm1"), {projected, x}, {y});
  p.node(linear(b, "encoder.inner", kInner, kWidth, Activation::Relu), {y}, {inner});
  p.node(linear(b, "encoder.outer", kWidth, kInner), {inner}, {outer});
  p.node(layer_norm(b, "encoder.norm2"), {outer, y}, {z});
  p.program->output = static_cast<int32_t>(z);
  return std::move(p.program);
}

std::unique_ptr<schema::ProgramT> begin(ModelBuilder& b) {
  ProgramWriter p(RowSpace::Source);
  const uint32_t x = p.value("encoded", kWidth);
  const uint32_t cross = p.value("keys and values", 2 * kWidth, static_cast<int32_t>(kCrossState));
  p.node(linear(b, "decoder.keys_values", 2 * kWidth, kWidth), {x}, {cross});
  p.program->input = static_cast<int32_t>(x);
  return std::move(p.program);
}

std::unique_ptr<schema::ProgramT> step(ModelBuilder& b, uint32_t table, uint32_t positions) {
  ProgramWriter p(RowSpace::Hypothesis);
  const uint32_t embedded = p.value("embedded", kWidth), x = p.value("x", kWidth), gates = p.value("gates", 2 * kWidth);
  const uint32_t recurrent = p.value("recurrent", kWidth), y = p.value("y", kWidth), query = p.value("query", kWidth);
  const uint32_t attended = p.value("attended", kWidth), projected = p.value("projected", kWidth);
  const uint32_t z = p.value("z", kWidth);
  schema::SsruT ssru;
  ssru.state = kCellState;
  schema::CrossAttentionT attention;
  attention.num_heads = kHeads;
  attention.state = kCrossState;
  attention.key_offset = 0;
  attention.value_offset = kWidth;
  schema::LogitsT logits;
  logits.weight = table;
  logits.bias = static_cast<int32_t>(b.add_f32("logits.bias", {tiny_pieces().size()}, 0.125f));
  p.node(embed(table), {}, {embedded});
  p.node(position(positions), {embedded}, {x});
  p.node(linear(b, "decoder.ssru", 2 * kWidth, kWidth), {x}, {gates});
  p.node(ssru, {gates}, {recurrent});
  p.node(layer_norm(b, "decoder.norm1"), {recurrent, x}, {y});
  p.node(linear(b, "decoder.query", kWidth, kWidth), {y}, {query});
  p.node(attention, {query}, {attended});
  p.node(linear(b, "decoder.out", kWidth, kWidth), {attended}, {projected});
  p.node(layer_norm(b, "decoder.norm2"), {projected, y}, {z});
  p.node(logits, {z}, {});
  return std::move(p.program);
}

void add_state(schema::GraphT& graph, const char* name, RowSpace space, uint32_t width) {
  auto state = std::make_unique<schema::StateT>();
  state->name = name;
  state->row_space = space;
  state->width = width;
  graph.states.push_back(std::move(state));
}

void add_graph(ModelBuilder& b) {
  const auto vocabulary = static_cast<uint32_t>(tiny_pieces().size());
  const uint32_t table = b.add_int8("embedding", vocabulary, kWidth);
  const uint32_t positions = b.add_f32("positions", {kPositions, kWidth}, 1.0f);
  auto graph = std::make_unique<schema::GraphT>();
  add_state(*graph, "cross", RowSpace::Source, 2 * kWidth);
  add_state(*graph, "cell", RowSpace::Hypothesis, kWidth);
  graph->max_source_positions = kPositions;
  graph->max_target_positions = kPositions;
  graph->source_vocabulary = vocabulary;
  graph->target_vocabulary = vocabulary;
  graph->encode = encode(b, table, positions);
  graph->begin = begin(b);
  graph->step = step(b, table, positions);
  b.model.graph = std::move(graph);
}

// ---- the rest -------------------------------------------------------------------------------------------------------

// Source id s may become s, s + 5 and s + 10, as far as there are such ids.
void add_shortlist(ModelBuilder& b) {
  const auto vocabulary = static_cast<uint32_t>(tiny_pieces().size());
  std::vector<uint32_t> offsets = {0}, ids;
  for (uint32_t s = 0; s < vocabulary; ++s) {
    for (uint32_t id = s; id < vocabulary && id <= s + 10; id += 5) ids.push_back(id);
    offsets.push_back(static_cast<uint32_t>(ids.size()));
  }
  auto shortlist = std::make_unique<schema::ShortlistT>();
  shortlist->offsets = b.add("shortlist.offsets", TensorType::U32, {offsets.size()}, offsets);
  shortlist->ids = b.add("shortlist.ids", TensorType::U32, {ids.size()}, ids);
  shortlist->always = 4;
  shortlist->multiple = 8;
  shortlist->copy_source = true;
  b.model.shortlist = std::move(shortlist);
}

void add_texts(schema::ModelT& model) {
  model.name = "tiny";
  model.licence = "Apache-2.0";
  auto source = std::make_unique<schema::LanguageT>(), target = std::make_unique<schema::LanguageT>();
  source->code = "en";
  target->code = "pt-BR";
  model.source_languages.push_back(std::move(source));
  model.target_languages.push_back(std::move(target));
  auto provenance = std::make_unique<schema::ProvenanceT>();
  provenance->source_files = {"weights.bin"};
  provenance->source_checksums = {std::string(64, '0')};
  provenance->family = "test";
  provenance->converter = "model_builder";
  model.provenance = std::move(provenance);
  model.generation = std::make_unique<schema::GenerationT>();
  model.generation->end_id = 0;
  model.generation->unknown_id = 1;
  model.generation->suppressed = {1};
  model.generation->max_length_factor = 2.0f;
}

}  // namespace

ModelBuilder tiny_model_builder() {
  ModelBuilder b;
  add_graph(b);
  add_shortlist(b);
  add_tokenizer(b);
  add_texts(b.model);
  return b;
}

AlignedBytes tiny_model() { return tiny_model_builder().finish(); }

}  // namespace dragoman::test
