// A decoder over the position cache: hypotheses that split, exchange slots, end and begin anew score exactly as each of
// them decoded alone, for every cache type and weight type, with and without threads.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "tests/support/model_builder.h"
#include "tests/support/program_writer.h"

namespace dragoman::engine {
namespace {

using schema::RowSpace;
using schema::TensorType;

constexpr size_t kWidth = 32, kHeads = 4, kCached = 16, kVocabulary = 24, kPositions = 14, kSentences = 2, kBeam = 3;

// A made-up matrix [rows, kWidth] of int8, halves or int4 in blocks.
uint32_t weight(test::ModelBuilder& b, const std::string& name, uint32_t rows, TensorType type) {
  if (type == TensorType::I8) return b.add_int8(name, rows, kWidth);
  uint32_t random = rows;
  const auto next = [&random] { return (random = random * 1664525u + 1013904223u) >> 16; };
  if (type == TensorType::F16) {
    std::vector<uint16_t> halves(rows * kWidth);
    for (uint16_t& h : halves) h = static_cast<uint16_t>(0x3000 | (next() & 0x83FF));  // +-0.125 to 0.25
    return b.add(name, type, {rows, kWidth}, halves);
  }
  std::vector<uint8_t> elements(rows * kWidth / 2);
  for (uint8_t& e : elements) e = static_cast<uint8_t>(next());
  const uint32_t index = b.add(name, type, {rows, kWidth}, elements);
  b.model.tensors[index]->block = 32;
  b.model.tensors[index]->scales = static_cast<int32_t>(
      b.add(name + ".scales", TensorType::BF16, {rows}, std::vector<uint16_t>(rows, 0x3D00)));  // 2^-5
  return index;
}

schema::LinearT linear(test::ModelBuilder& b, const char* name, uint32_t outputs, TensorType type) {
  schema::LinearT options;
  options.weight = weight(b, name, outputs, type);
  return options;
}

schema::EmbedT embed(uint32_t table) {
  schema::EmbedT options;
  options.table = table;
  options.scale = 4.0f;
  return options;
}

schema::CachedSelfAttentionT attention(test::ModelBuilder& b, uint32_t state) {
  schema::CachedSelfAttentionT options;
  options.num_heads = kHeads;
  options.key_value_heads = kHeads / 2;
  options.state = state;
  options.relative_bias = static_cast<int32_t>(b.add_f32("relative_bias", {kHeads, 6}, 1.0f));
  return options;
}

schema::RmsNormT rms_norm(test::ModelBuilder& b) {
  schema::RmsNormT options;
  options.scale = b.add_f32("norm", {kWidth}, 0.25f, 1.0f);
  options.epsilon = 1e-6f;
  return options;
}

// The tiny model with another decoder: grouped-query self-attention, a gated feed-forward, a product.
test::ModelBuilder cached_model(TensorType type = TensorType::I8) {
  test::ModelBuilder b = test::tiny_model_builder();
  auto cache = std::make_unique<schema::StateT>();
  cache->name = "decoder.cache";
  cache->row_space = RowSpace::Hypothesis;
  cache->width = 2 * kCached;
  cache->kind = schema::StateKind::PositionCache;
  b.model.graph->states.push_back(std::move(cache));
  const auto state = static_cast<uint32_t>(b.model.graph->states.size() - 1);
  const uint32_t table = weight(b, "table", kVocabulary, type);
  test::ProgramWriter step(RowSpace::Hypothesis);
  const uint32_t x = step.add(embed(table), {}, kWidth);
  const uint32_t qkv = step.add(linear(b, "qkv", kWidth + 2 * kCached, type), {x}, kWidth + 2 * kCached);
  const uint32_t attended = step.add(attention(b, state), {qkv}, kWidth);
  const uint32_t y = step.add(rms_norm(b), {attended, x}, kWidth);
  const uint32_t gates = step.add(linear(b, "gates", 2 * kWidth, type), {y}, 2 * kWidth);
  schema::GatedLinearUnitT gated;
  gated.activation = schema::Activation::GeluTanh;
  const uint32_t unit = step.add(gated, {gates}, kWidth);
  const uint32_t z = step.add(schema::MulT(), {unit, y}, kWidth);
  schema::LogitsT logits;
  logits.weight = table;
  step.node(logits, {z}, {});
  b.model.graph->step = std::move(step.program);
  return b;
}

// An engine in a block of its own.
struct Session {
  Session(const graph::LoweredGraph& graph, const EngineLimits& limits)
      : threads(std::move(ThreadPool::create(limits.threads).value())) {
    Arena measuring = Arena::measuring();
    {
      Engine measured;
      REQUIRE(measured.create(graph, limits, &measuring, &account, &threads).ok());
    }
    bytes = test::AlignedBytes(measuring.used());
    Arena arena(bytes.span().data(), bytes.size());
    engine = std::make_unique<Engine>();
    REQUIRE(engine->create(graph, limits, &arena, &account, &threads).ok());
    REQUIRE_FALSE(arena.failed());
  }
  kernels::HeapAccount account;
  ThreadPool threads;
  test::AlignedBytes bytes;
  std::unique_ptr<Engine> engine;
};

using Logits = std::vector<float>;

// The logits behind a history, decoded alone.
Logits decode_alone(Engine& engine, const std::vector<int32_t>& history) {
  Logits logits(kVocabulary);
  kernels::TopK top;
  for (size_t i = 0; i < history.size(); ++i) {
    StepRow row;
    row.previous_id = history[i];
    row.position = static_cast<int32_t>(i);
    row.parent = i == 0 ? -1 : 0;
    row.logits = logits.data();
    engine.step({&row, 1}, 1, {&top, 1});
  }
  return logits;
}

struct Hypothesis {
  std::vector<int32_t> history;
  int32_t slot = 0;
};

// Steps of hypotheses that come and go as in a beam search.
class Beams {
 public:
  explicit Beams(Engine& engine) : engine_(engine) {}

  // One step of all sentences; then hypothesis i of all has logits(i).
  void step() {
    std::vector<StepRow> rows;
    for (size_t s = 0; s < kSentences; ++s) choose(s, &rows);
    logits_.assign(rows.size(), Logits(kVocabulary));
    for (size_t i = 0; i < rows.size(); ++i) rows[i].logits = logits_[i].data();
    std::vector<kernels::TopK> top(rows.size());
    engine_.step(rows, 1, top);
  }
  const std::vector<Hypothesis>& all() const { return all_; }
  const Logits& logits(size_t i) const { return logits_[i]; }

 private:
  size_t below(size_t n) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return (random_ >> 33) % n;
  }

  void choose(size_t s, std::vector<StepRow>* rows) {
    if (s == 0) all_.clear();
    const bool fresh = live_[s].empty() || live_[s][0].history.size() == kPositions || below(9) == 0;
    const size_t rotation = below(kBeam);
    std::vector<Hypothesis> next(1 + below(kBeam));
    for (size_t i = 0; i < next.size(); ++i) {
      const Hypothesis parent = fresh ? Hypothesis{{}, -1} : live_[s][below(live_[s].size())];
      next[i].history = parent.history;
      next[i].history.push_back(static_cast<int32_t>(below(kVocabulary)));
      next[i].slot = static_cast<int32_t>(s * kBeam + (i + rotation) % kBeam);
      StepRow row;
      row.previous_id = next[i].history.back();
      row.position = static_cast<int32_t>(parent.history.size());
      row.parent = parent.slot;
      row.slot = next[i].slot;
      row.sentence = static_cast<uint32_t>(s);
      rows->push_back(row);
      all_.push_back(next[i]);
    }
    live_[s] = std::move(next);
  }

  Engine& engine_;
  std::vector<Hypothesis> live_[kSentences];
  std::vector<Hypothesis> all_;
  std::vector<Logits> logits_;
  uint64_t random_ = 7;
};

EngineLimits limits_of(kernels::CacheType type, size_t sentences, size_t beam, size_t threads) {
  EngineLimits limits;
  limits.max_sentences = sentences;
  limits.max_beam = beam;
  limits.max_source_length = limits.max_source_rows = 16;
  limits.max_target_length = kPositions;
  limits.cache_type = type;
  limits.threads = threads;
  return limits;
}

void check(ops::Compute compute, kernels::CacheType type, size_t threads, TensorType weights = TensorType::I8) {
  const test::AlignedBytes file = cached_model(weights).finish();
  const Result<model::ModelView> view = model::ModelView::open(file.span());
  INFO(view.status().message());
  REQUIRE(view.ok());
  graph::LoweredGraph graph(view.value());
  const Status lowered = graph::lower(compute, &graph);
  INFO(lowered.message());
  REQUIRE(lowered.ok());
  Session many(graph, limits_of(type, kSentences, kBeam, threads));
  Session alone(graph, limits_of(type, 1, 1, 1));
  Beams beams(*many.engine);
  for (int i = 0; i < 60; ++i) {
    beams.step();
    for (size_t h = 0; h < beams.all().size(); ++h) {
      const Logits expected = decode_alone(*alone.engine, beams.all()[h].history);
      REQUIRE(beams.logits(h) == expected);
    }
  }
}

TEST_CASE("hypotheses of a beam score as each of them alone") {
  for (size_t type = 0; type < kernels::kNumCacheTypes; ++type) {
    check(ops::Compute::kInt8, static_cast<kernels::CacheType>(type), 1);
  }
  check(ops::Compute::kF32, kernels::CacheType::kF32, 1);
  check(ops::Compute::kInt8, kernels::CacheType::kI8, 2);
  check(ops::Compute::kInt8, kernels::CacheType::kF16, 1, TensorType::F16);
  check(ops::Compute::kInt8, kernels::CacheType::kF16, 1, TensorType::I4);
  check(ops::Compute::kF32, kernels::CacheType::kF32, 1, TensorType::I4);
}

TEST_CASE("RT-09: a step sees the whole history, not its last position") {
  const test::AlignedBytes file = cached_model().finish();
  graph::LoweredGraph graph(model::ModelView::open(file.span()).value());
  REQUIRE(graph::lower(ops::Compute::kF32, &graph).ok());
  Session session(graph, limits_of(kernels::CacheType::kF32, 1, 1, 1));
  const Logits one = decode_alone(*session.engine, {5, 6, 7});
  CHECK(decode_alone(*session.engine, {5, 6, 7}) == one);
  CHECK_FALSE(decode_alone(*session.engine, {4, 6, 7}) == one);
  CHECK_FALSE(decode_alone(*session.engine, {6, 5, 7}) == one);  // its bias depends on the distance
}

}  // namespace
}  // namespace dragoman::engine
