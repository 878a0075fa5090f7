#include "engine/engine.h"

#include <algorithm>

#include "graph/executor.h"

namespace dragoman::engine {

namespace {

// Rows that one run of `encode` takes at most: enough to fill the matrix kernels; more would only cost memory.
constexpr size_t kEncodeRows = 512;

bool has_cache(const model::ModelView& model) {
  for (size_t i = 0; i < model.num_states(); ++i) {
    if (model.state(i).kind == model::StateKind::kPositionCache) return true;
  }
  return false;
}

// Calls body(first head, number of heads) for the cross-attention of every layer, where heads are counted over all.
template <typename Body>
void for_cross_attentions(const model::ModelView& model, const Body& body) {
  const model::ProgramView step = model.program(model::ProgramKind::kStep);
  size_t first = 0;
  for (size_t i = 0; i < step.num_nodes(); ++i) {
    const size_t heads = ops::cross_attention_heads(step.node(i));
    if (heads > 0) body(first, heads);
    first += heads;
  }
}

size_t total_heads(const model::ModelView& model) {
  size_t total = 0;
  for_cross_attentions(model, [&total](size_t, size_t heads) { total += heads; });
  return total;
}

}  // namespace

ops::Capacities Engine::capacities(const EngineLimits& limits) {
  ops::Capacities capacities;
  capacities.source_rows = std::min(limits.max_source_rows, std::max(limits.max_source_length, kEncodeRows));
  capacities.source_state_rows = limits.max_source_rows;
  capacities.hypothesis_rows = limits.max_sentences * limits.max_beam;
  capacities.max_source_length = limits.max_source_length;
  capacities.threads = limits.threads;
  capacities.target_positions = limits.max_target_length;
  capacities.cache_type = limits.cache_type;
  return capacities;
}

Status Engine::create(const graph::LoweredGraph& graph, const EngineLimits& limits, Arena* arena,
                      kernels::HeapAccount* account, const ThreadPool* threads) {
  limits_ = limits;
  graph_ = &graph;
  capacities_ = capacities(limits);
  threads_ = threads;
  vocabulary_ = graph.model.generation().num_token_ids;
  suppressed_ = graph.model.generation().suppressed;
  sum_suppressed_ = graph.model.generation().score_over_all;
  DRAGOMAN_RETURN_IF_ERROR(plan_.create(graph, capacities_, arena, account));
  shortlist_.carve(graph.model.shortlist(), vocabulary_, arena);
  shortlist_.require(graph.model.generation().end_id);
  allowed_capacity_ = shortlist_.max_ids(limits.max_source_length);
  ancestors_.carve(capacities_.hypothesis_rows, has_cache(graph.model) ? capacities_.target_positions : 0, arena);
  carve_buffers(arena);
  return Status();
}

void Engine::carve_buffers(Arena* arena) {
  pool_.carve(limits_.max_source_rows, limits_.max_sentences + 1, arena);
  sentences_ = arena->carve<Sentence>(limits_.max_sentences);
  std::fill(sentences_.begin(), sentences_.end(), Sentence{});
  allowed_ids_ = arena->carve<int32_t>(saturating_product(limits_.max_sentences, allowed_capacity_));
  source_ids_ = arena->carve<int32_t>(capacities_.source_rows);
  source_positions_ = arena->carve<int32_t>(capacities_.source_rows);
  segment_begins_ = arena->carve<uint32_t>(limits_.max_sentences + 1);
  const size_t rows = capacities_.hypothesis_rows;
  step_.previous_ids = arena->carve<int32_t>(rows);
  step_.positions = arena->carve<int32_t>(rows);
  step_.parents = arena->carve<int32_t>(rows);
  step_.slots = arena->carve<int32_t>(rows);
  step_.sources = arena->carve<ops::SourceRange>(rows);
  step_.allowed = arena->carve<ops::AllowedIds>(rows);
  step_.logits = arena->carve<ops::LogitsRequest>(rows);
  step_.attention = arena->carve<float*>(limits_.attention ? rows : 0);
  attention_heads_ = arena->carve<uint8_t>(limits_.attention ? total_heads(graph_->model) : 0);
}

size_t Engine::admissible(std::span<const EncodeRequest> requests) const {
  const size_t room = std::min(pool_.longest_free(), capacities_.source_rows);
  size_t rows = 0;
  size_t count = 0;
  while (count < requests.size() && rows + requests[count].ids.size() <= room) rows += requests[count++].ids.size();
  return count;
}

void Engine::encode(std::span<const EncodeRequest> requests) {
  size_t rows = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::span<const int32_t> ids = requests[i].ids;
    segment_begins_[i] = static_cast<uint32_t>(rows);
    std::copy(ids.begin(), ids.end(), source_ids_.begin() + rows);
    for (size_t k = 0; k < ids.size(); ++k) source_positions_[rows + k] = static_cast<int32_t>(k);
    rows += ids.size();
  }
  segment_begins_[requests.size()] = static_cast<uint32_t>(rows);
  // One range for the group, so that `begin` writes its rows in place; then one range per sentence in the same rows.
  const size_t begin = pool_.take(rows);
  pool_.release(begin);
  for (size_t i = 0; i < requests.size(); ++i) {
    const size_t length = requests[i].ids.size();
    const size_t at = pool_.take_at(begin + segment_begins_[i], length);
    sentences_[requests[i].sentence].range = {static_cast<uint32_t>(at), static_cast<uint32_t>(length)};
    set_allowed(requests[i]);
  }
  ops::RunContext run;
  run.threads = threads_;
  run.observer = observer_;
  run.source_rows = rows;
  run.num_segments = requests.size();
  run.segment_begins = segment_begins_.data();
  run.source_ids = source_ids_.data();
  run.source_positions = source_positions_.data();
  run.source_state_begin = begin;
  graph::execute(plan_, graph::ScheduleKind::kSource, run);
}

void Engine::set_allowed(const EncodeRequest& request) {
  Sentence& sentence = sentences_[request.sentence];
  sentence.allowed = {};
  if (!request.use_shortlist || !shortlist_.present()) return;
  const auto buffer = allowed_ids_.subspan(request.sentence * allowed_capacity_, allowed_capacity_);
  sentence.allowed = buffer.first(shortlist_.build(request.ids, buffer));
}

void Engine::release(uint32_t sentence) {
  pool_.release(sentences_[sentence].range.begin);
  sentences_[sentence] = Sentence{};
}

void Engine::release_all() {
  pool_.clear();
  std::fill(sentences_.begin(), sentences_.end(), Sentence{});
}

void Engine::clear_attention_heads() {
  std::fill(attention_heads_.begin(), attention_heads_.end(), uint8_t{0});
  attention_share_ = 1.0f;
}

Status Engine::add_attention_head(const AttentionHead& wanted) {
  int32_t num_layers = 0;
  for_cross_attentions(graph_->model, [&num_layers](size_t, size_t) { ++num_layers; });
  const int32_t layer = wanted.layer == -1 ? num_layers - 1 : wanted.layer;
  int32_t current = 0;
  bool found = false;
  for_cross_attentions(graph_->model, [&](size_t first, size_t heads) {
    if (current++ != layer || wanted.head < -1 || wanted.head >= static_cast<int32_t>(heads)) return;
    const std::span<uint8_t> marks = attention_heads_.subspan(first, heads);
    found = true;
    if (wanted.head >= 0) marks[static_cast<size_t>(wanted.head)] = 1;
    if (wanted.head < 0) std::fill(marks.begin(), marks.end(), uint8_t{1});
  });
  if (layer < 0 || layer >= num_layers) {
    return Status::error(Code::kInvalidArgument, "attention_heads: no layer %d; the decoder has %d layers",
                         wanted.layer, num_layers);
  }
  if (!found) {
    return Status::error(Code::kInvalidArgument, "attention_heads: no head %d in layer %d; the decoder has %d layers",
                         wanted.head, wanted.layer, num_layers);
  }
  const auto count = std::count(attention_heads_.begin(), attention_heads_.end(), uint8_t{1});
  attention_share_ = 1.0f / static_cast<float>(count);
  return Status();
}

void Engine::clear_attention(std::span<const StepRow> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    step_.attention[i] = rows[i].attention;
    std::fill_n(rows[i].attention, step_.sources[i].length, 0.0f);
  }
}

void Engine::average_attention(std::span<const StepRow> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < step_.sources[i].length; ++k) rows[i].attention[k] *= attention_share_;
  }
}

// The cache has no row behind its last position.
int32_t Engine::bounded_position(int32_t position) const {
  const size_t positions = ancestors_.positions();
  return positions == 0 ? position : std::clamp(position, int32_t{0}, static_cast<int32_t>(positions) - 1);
}

void Engine::step(std::span<const StepRow> rows, size_t top_k, std::span<kernels::TopK> top) {
  ancestors_.begin_step();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Sentence& sentence = sentences_[rows[i].sentence];
    step_.previous_ids[i] = rows[i].previous_id;
    step_.positions[i] = bounded_position(rows[i].position);
    step_.parents[i] = rows[i].parent;
    step_.slots[i] = rows[i].slot;
    ancestors_.extend(rows[i].parent, rows[i].slot, step_.positions[i]);
    step_.sources[i] = sentence.range;
    step_.allowed[i] = {sentence.allowed.empty() ? nullptr : sentence.allowed.data(), sentence.allowed.size()};
    step_.logits[i] = {rows[i].suppress, rows[i].banned, rows[i].logits};
  }
  const bool attention = limits_.attention && !rows.empty() && rows[0].attention != nullptr;
  ops::RunContext run;
  if (attention) {
    clear_attention(rows);
    run.attention = step_.attention.data();
    run.attention_heads = attention_heads_.data();
  }
  run.threads = threads_;
  run.observer = observer_;
  run.hypothesis_rows = rows.size();
  run.previous_ids = step_.previous_ids.data();
  run.target_positions = step_.positions.data();
  run.parents = step_.parents.data();
  run.slots = step_.slots.data();
  run.ancestors = ancestors_.rows();
  run.ancestors_stride = ancestors_.positions();
  run.state_phase = state_phase_;
  run.sources = step_.sources.data();
  run.allowed = step_.allowed.data();
  run.suppressed = suppressed_.data();
  run.num_suppressed = suppressed_.size();
  run.sum_suppressed = sum_suppressed_;
  run.logits = step_.logits.data();
  run.top_k = top_k;
  run.top = top.data();
  graph::execute(plan_, graph::ScheduleKind::kTarget, run);
  if (attention) average_attention(rows);
  state_phase_ = 1 - state_phase_;
}

}  // namespace dragoman::engine
