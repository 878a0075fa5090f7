#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "search/constraints.h"
#include "search/random.h"

namespace dragoman::search {

void Search::carve(const SearchLimits& limits, Arena* arena) {
  limits_ = limits;
  const size_t slots = limits.max_sentences * limits.max_beam;
  memory_.penalty.carve(limits.max_length, arena);
  memory_.trellis.carve(limits.max_sentences, limits.max_length, limits.max_beam, arena);
  memory_.attention.carve({limits.max_sentences, limits.max_length, limits.max_beam, limits.source_length}, arena);
  states_ = arena->carve<SentenceState>(limits.max_sentences);
  live_ = arena->carve<uint32_t>(limits.max_sentences);
  rows_ = arena->carve<engine::StepRow>(slots);
  top_ = arena->carve<kernels::TopK>(slots);
  const std::span<float> sums = arena->carve<float>(slots);
  const std::span<uint32_t> chains = arena->carve<uint32_t>(slots);
  const std::span<Hypothesis> finished = arena->carve<Hypothesis>(slots);
  logits_stride_ = align_up(saturating_product(limits.vocabulary, sizeof(float))) / sizeof(float);
  logits_ = arena->carve<float>(saturating_product(slots, logits_stride_));
  sampler_.carve(limits.vocabulary, arena);
  history_ = arena->carve<int32_t>(saturating_product(2, saturating_sum(limits.max_length, 1)));
  for (size_t i = 0; i < states_.size() && finished.size() == slots; ++i) {
    SentenceState* state = new (&states_[i]) SentenceState();
    state->sums = sums.subspan(i * limits.max_beam, limits.max_beam);
    state->chains = chains.subspan(i * limits.max_beam, limits.max_beam);
    state->finished = finished.subspan(i * limits.max_beam, limits.max_beam);
  }
  num_live_ = 0;
}

Status Search::configure(const SearchOptions& options) {
  DRAGOMAN_RETURN_IF_ERROR(check(options, limits_));
  options_ = options;
  memory_.penalty.set(options.length_penalty, options.word_penalty);
  return Status();
}

void Search::start(const DecodeRequest& request) {
  SentenceState& state = states_[request.sentence];
  state.request = request;
  state.position = 0;
  state.num_finished = 0;
  state.num_rows = options_.sampling.enabled ? options_.num_hypotheses : 1;
  for (size_t row = 0; row < state.num_rows; ++row) {
    state.sums[row] = 0;
    state.chains[row] = static_cast<uint32_t>(row);
  }
  live_[num_live_++] = request.sentence;
}

Result<size_t> Search::advance(engine::DecoderStep& network, std::span<uint32_t> finished) {
  const size_t num_rows = list_rows();
  network.step(rows_.first(num_rows), top_k(), top_.first(num_rows));
  size_t num_finished = 0;
  size_t num_kept = 0;
  size_t row = 0;
  for (size_t i = 0; i < num_live_; ++i) {
    SentenceState& state = states_[live_[i]];
    const std::span<kernels::TopK> top = top_.subspan(row, state.num_rows);
    DRAGOMAN_RETURN_IF_ERROR(choose(network, row, &state));
    row += state.num_rows;
    if (Expansion(options_, &memory_, &state).run(top)) {
      finished[num_finished++] = live_[i];
    } else {
      live_[num_kept++] = live_[i];
    }
  }
  num_live_ = num_kept;
  return num_finished;
}

size_t Search::list_rows() {
  size_t count = 0;
  for (const uint32_t sentence : live_.first(num_live_)) {
    const SentenceState& state = states_[sentence];
    for (size_t row = 0; row < state.num_rows; ++row, ++count) {
      new (&rows_[count]) engine::StepRow(row_of(state, row));
      if (options_.need_logits()) rows_[count].logits = logits_.data() + count * logits_stride_;
      if (options_.need_attention()) rows_[count].attention = memory_.attention.row(sentence, state.position, row);
    }
  }
  return count;
}

engine::StepRow Search::row_of(const SentenceState& state, size_t row) const {
  const DecodeRequest& request = state.request;
  const size_t first_slot = request.sentence * limits_.max_beam;
  engine::StepRow step;
  step.previous_id = request.start_id;
  step.position = static_cast<int32_t>(state.position);
  step.slot = static_cast<int32_t>(first_slot + row);
  step.sentence = request.sentence;
  if (state.position > 0) {
    const Node& node = memory_.trellis.node(request.sentence, state.position - 1, row);
    step.previous_id = node.id;
    step.parent = static_cast<int32_t>(first_slot + node.parent);
  }
  step.suppress = !options_.score_forced;
  const size_t earliest_end = request.forced_ids.size() + options_.constraints.min_length;
  if (state.position < earliest_end && !options_.score_forced) step.banned = request.end_id;
  return step;
}

// With all logits at hand the choice is made from them.
size_t Search::top_k() const {
  if (options_.need_logits()) return 0;
  if (options_.beam_size == 1) return 1;
  return options_.beam_rule == model::BeamRule::kMarian ? options_.beam_size : 2 * options_.beam_size;
}

Status Search::choose(const engine::DecoderStep& network, size_t first_row, SentenceState* state) {
  Columns columns;
  columns.allowed = network.allowed_ids(state->request.sentence);
  const size_t count = network.num_columns(state->request.sentence);
  state->cut_rows = 0;
  for (size_t row = 0; row < state->num_rows; ++row) {
    if (options_.need_logits()) columns.values = {rows_[first_row + row].logits, count};
    DRAGOMAN_RETURN_IF_ERROR(choose_row(columns, row, state, &top_[first_row + row]));
  }
  return Status();
}

// Leaves in *top what the row may go on with: at least one id.
Status Search::choose_row(const Columns& columns, size_t row, SentenceState* state, kernels::TopK* top) {
  if (!std::isfinite(top->log_sum_exp)) {
    return Status::error(Code::kNumerical, "numerical failure at step %zu: no finite score among the allowed ids",
                         state->position);
  }
  int32_t forced = -1;
  if (forced_id(*state, &forced)) {
    const bool by_limit = state->position >= state->request.forced_ids.size();
    if (by_limit && goes_on(columns, *top, forced)) state->cut_rows |= 1u << row;
    top->count = 1;
    top->ids[0] = forced;
    top->logits[0] = top->log_sum_exp;
    if (!options_.score_forced || state->position < state->request.num_certain) return Status();
    const float* value = columns.find(forced);
    top->logits[0] = value == nullptr ? kNever : *value;
    return Status();
  }
  if (options_.need_logits()) choose_from(columns, *state, row, top);
  if (top->count > 0) return Status();
  // What may not go on ends.
  top->count = 1;
  top->ids[0] = state->request.end_id;
  top->logits[0] = top->log_sum_exp;
  return Status();
}

// Whether something else than the end comes first.
bool Search::goes_on(const Columns& columns, const kernels::TopK& top, int32_t end_id) const {
  if (!options_.need_logits()) return top.count == 0 || top.ids[0] != end_id;
  const float* end = columns.find(end_id);
  return end == nullptr ||
         std::any_of(columns.values.begin(), columns.values.end(), [end](float value) { return value > *end; });
}

void Search::choose_from(const Columns& columns, const SentenceState& state, size_t row, kernels::TopK* top) {
  const bool beam = options_.beam_size > 1 && !options_.sampling.enabled;
  if (beam) {
    for (float& value : columns.values) value -= top->log_sum_exp;
    top->log_sum_exp = 0;
  }
  if (options_.constraints.need_logits()) {
    apply(options_.constraints, history(state, row), history_.last(limits_.max_length + 1), columns);
  }
  if (!options_.sampling.enabled) {
    select_top(columns, options_.beam_size == 1 ? 1 : std::min(2 * options_.beam_size, kernels::kMaxTopK), top);
    return;
  }
  const Draw draw{options_.sampling.seed, state.request.sampling_key, state.chains[row], state.position};
  const size_t column = sampler_.draw(options_.sampling, columns, uniform(draw));
  top->count = column < columns.values.size() ? 1 : 0;
  if (top->count == 0) return;
  top->ids[0] = columns.id(column);
  top->logits[0] = columns.values[column];
}

bool Search::forced_id(const SentenceState& state, int32_t* id) const {
  const DecodeRequest& request = state.request;
  if (state.position < request.forced_ids.size()) {
    *id = request.forced_ids[state.position];
    return true;
  }
  *id = request.end_id;
  return options_.force_end && state.position + 1 == request.max_ids;
}

// The start id, if there is one, and the ids of a row.
std::span<const int32_t> Search::history(const SentenceState& state, size_t row) {
  const std::span<int32_t> ids = history_.first(state.position + 1);
  ids[0] = state.request.start_id;
  for (size_t position = state.position; position > 0; --position) {
    const Node& node = memory_.trellis.node(state.request.sentence, position - 1, row);
    ids[position] = node.id;
    row = node.parent;
  }
  return state.request.start_id >= 0 ? ids : ids.subspan(1);
}

std::span<const Hypothesis> Search::hypotheses(uint32_t sentence) const {
  const SentenceState& state = states_[sentence];
  return state.finished.first(std::min(state.num_finished, options_.num_hypotheses));
}

void Search::read(uint32_t sentence, const Hypothesis& hypothesis, std::span<int32_t> ids,
                  std::span<float> log_probs) const {
  Node node = hypothesis.last;
  for (size_t position = hypothesis.num_ids; position-- > 0;) {
    ids[position] = node.id;
    log_probs[position] = node.log_prob;
    if (position > 0) node = memory_.trellis.node(sentence, position - 1, node.parent);
  }
}

void Search::read_attention(uint32_t sentence, const Hypothesis& hypothesis, std::span<float> attention) const {
  const size_t source_length = states_[sentence].request.source_length;
  memory_.attention.read(memory_.trellis, sentence, hypothesis, source_length, attention);
}

}  // namespace dragoman::search
