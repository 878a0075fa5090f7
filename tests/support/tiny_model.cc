// The tiny model: a student with one encoder layer and one SSRU decoder layer, made-up weights, a real tokenizer.
// Neighbours: see model_builder.h.
#include <utility>

#include "tests/support/model_builder.h"
#include "tests/support/program_writer.h"
#include "tests/support/tiny_tokenizer.h"

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
  add_tiny_tokenizer(b);
  add_texts(b.model);
  return b;
}

AlignedBytes tiny_model() { return tiny_model_builder().finish(); }

}  // namespace dragoman::test
