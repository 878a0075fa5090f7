#include "pipeline/translator.h"

#include <algorithm>
#include <cmath>

namespace dragoman::pipeline {

namespace {

// Parts that wait or are finished while an earlier one is still decoded, so that slots need not stay empty behind it.
constexpr size_t kQueuedPartsPerSlot = 4;
constexpr size_t kQueuedPartsWithAttention = 2;  // attention makes them large

// FNV-1a over the source ids: a sentence draws the same sample wherever it stands.
uint64_t sampling_key(std::span<const int32_t> ids) {
  uint64_t key = 0xcbf29ce484222325u;
  for (const int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) {
      key = (key ^ (static_cast<uint32_t>(id) >> shift & 0xff)) * 0x100000001b3u;
    }
  }
  return key;
}

}  // namespace

search::SearchLimits TranslatorLimits::search(const Model& model) const {
  search::SearchLimits limits;
  limits.max_sentences = engine.max_sentences;
  limits.max_beam = engine.max_beam;
  limits.max_hypotheses = max_hypotheses;
  limits.max_length = max_target_length;
  limits.vocabulary = full_logits ? model.view().target_vocabulary() : 0;
  limits.source_length = engine.attention ? engine.max_source_length : 0;
  return limits;
}

Status Translator::create(const Model& model, const TranslatorLimits& limits, Arena* arena,
                          kernels::HeapAccount* account, const ThreadPool* threads) {
  model_ = &model;
  limits_ = limits;
  generation_ = model.view().generation();
  DRAGOMAN_RETURN_IF_ERROR(engine_.create(model.graph(), limits.engine, arena, account, threads));
  const size_t sentences = limits.engine.max_sentences;
  search_.carve(search_limits(), arena);
  const bool attention = limits.engine.attention;
  const size_t per_slot = attention ? kQueuedPartsWithAttention : kQueuedPartsPerSlot;
  queue_.carve({sentences == 1 ? 1 : sentences * per_slot, limits.engine.max_source_length, limits.max_target_length,
                limits.max_hypotheses, attention},
               arena);
  requests_ = arena->carve<engine::EncodeRequest>(sentences);
  requested_ = arena->carve<Part*>(sentences);
  in_flight_ = arena->carve<Part*>(sentences);
  finished_ = arena->carve<uint32_t>(sentences);
  text_ = arena->carve<char>(model.target_tokenizer().max_decoded_bytes(limits.max_target_length));
  reset();
  return Status();
}

void Translator::reset() {
  engine_.release_all();
  search_.clear();
  queue_.clear();
  std::fill(in_flight_.begin(), in_flight_.end(), nullptr);
  exhausted_ = false;
  read_error_ = Status();
}

Status Translator::run(PartSource* source, const TranslateOptions& options, Sink* sink) {
  DRAGOMAN_RETURN_IF_ERROR(search_.configure(options.search));
  if (options.search.need_attention()) DRAGOMAN_RETURN_IF_ERROR(choose_attention(options));
  keep_attention_ = options.search.keep_attention;
  const Status status = run_until_done(source, options, sink);
  reset();
  return status;
}

Status Translator::choose_attention(const TranslateOptions& options) {
  engine_.clear_attention_heads();
  if (options.attention_heads.empty()) return engine_.add_attention_head(options.own_head);
  for (const dragoman_attention_head& head : options.attention_heads) {
    DRAGOMAN_RETURN_IF_ERROR(engine_.add_attention_head({head.layer, head.head}));
  }
  return Status();
}

Status Translator::run_until_done(PartSource* source, const TranslateOptions& options, Sink* sink) {
  while (true) {
    read(source);
    admit(options);
    DRAGOMAN_RETURN_IF_ERROR(advance());
    DRAGOMAN_RETURN_IF_ERROR(emit(sink));
    if (exhausted_ && queue_.size() == 0) return read_error_;
  }
}

// Fills the queue. An error of the source waits until what was read before is delivered: which inputs come through
// must not depend on the size of the batch.
void Translator::read(PartSource* source) {
  while (!exhausted_ && !queue_.full()) {
    Part* part = queue_.back_slot();
    const Result<bool> found = source->next(part);
    if (!found.ok()) read_error_ = found.status();
    exhausted_ = !found.ok() || !found.value();
    if (exhausted_) break;
    if (!part->ends_input && part->is_empty()) part->done = true;
    queue_.push();
  }
}

// Encodes as many waiting parts as have room and starts their search.
void Translator::admit(const TranslateOptions& options) {
  const size_t free_slots = in_flight_.size() - search_.num_live();
  size_t count = 0;
  size_t slot = 0;
  for (size_t i = 0; i < queue_.size() && count < free_slots; ++i) {
    Part& part = queue_[i];
    if (part.done || part.admitted) continue;
    while (in_flight_[slot] != nullptr) ++slot;
    requests_[count] = {static_cast<uint32_t>(slot++), part.source_ids.first(part.num_source_ids),
                        options.use_shortlist};
    requested_[count++] = &part;
  }
  count = engine_.admissible(requests_.first(count));
  if (count == 0) return;
  engine_.encode(requests_.first(count));
  start_search(count, options);
}

void Translator::start_search(size_t count, const TranslateOptions& options) {
  for (size_t i = 0; i < count; ++i) {
    Part& part = *requested_[i];
    part.admitted = true;
    in_flight_[requests_[i].sentence] = &part;
    search::DecodeRequest request;
    request.sentence = requests_[i].sentence;
    request.start_id = options.start_id;
    request.end_id = generation_.end_id;
    request.forced_ids = options.forced_ids;
    request.max_ids = length_limit(part, options);
    request.source_length = part.num_source_ids;
    if (options.search.score_forced) {
      request.forced_ids = part.ids.first(part.num_target_ids);
      request.num_certain = part.num_forced_ids;
      request.max_ids = part.num_target_ids;
    }
    if (options.search.sampling.enabled) request.sampling_key = sampling_key(requests_[i].ids);
    search_.start(request);
  }
}

size_t Translator::length_limit(const Part& part, const TranslateOptions& options) const {
  const double by_source =
      std::ceil(static_cast<double>(options.max_length_factor) * static_cast<double>(part.num_source_ids));
  size_t limit = by_source < static_cast<double>(part.max_ids) ? static_cast<size_t>(by_source) : part.max_ids;
  if (options.max_length > 0) limit = std::min(limit, options.max_length);
  return std::min(std::max(limit, options.forced_ids.size() + 1), part.max_ids);
}

Status Translator::advance() {
  if (search_.num_live() == 0) return Status();
  DRAGOMAN_ASSIGN_OR_RETURN(const size_t count, search_.advance(engine_, finished_));
  for (const uint32_t sentence : finished_.first(count)) collect(sentence);
  return Status();
}

// Copies what was found and frees the sentence's slots.
void Translator::collect(uint32_t sentence) {
  Part& part = *in_flight_[sentence];
  for (const search::Hypothesis& found : search_.hypotheses(sentence)) {
    const size_t index = part.num_hypotheses++;
    part.hypotheses[index] = {found.num_ids, found.score, found.rank_score, found.reached_limit};
    search_.read(sentence, found, part.ids_of(index), part.log_probs_of(index));
    if (!keep_attention_) continue;
    search_.read_attention(sentence, found, part.attention_of(index));
    align(part, index);
  }
  part.done = true;
  in_flight_[sentence] = nullptr;
  engine_.release(sentence);
}

// Each id's source id is the one with most of its attention.
void Translator::align(Part& part, size_t hypothesis) {
  part.has_attention = true;
  const std::span<const float> attention = part.attention_of(hypothesis);
  const std::span<int32_t> alignment = part.alignment_of(hypothesis);
  for (size_t i = 0; i < part.hypotheses[hypothesis].num_ids; ++i) {
    const std::span<const float> row = attention.subspan(i * part.num_source_ids, part.num_source_ids);
    alignment[i] = static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
}

// Hands finished parts to the sink, in order.
Status Translator::emit(Sink* sink) {
  while (queue_.size() > 0 && queue_[0].done) {
    DRAGOMAN_RETURN_IF_ERROR(emit_part(queue_[0], sink));
    queue_.pop_front();
  }
  return Status();
}

Status Translator::emit_part(const Part& part, Sink* sink) {
  const size_t count = std::max<size_t>(part.num_hypotheses, 1);
  for (size_t i = 0; i < count; ++i) {
    const size_t num_ids = part.num_hypotheses > 0 ? part.hypotheses[i].num_ids : 0;
    DRAGOMAN_ASSIGN_OR_RETURN(const size_t bytes,
                              model_->target_tokenizer().decode(part.ids_of(i).first(num_ids), text_));
    if (!sink->receive(part, i, std::string_view(text_.data(), bytes))) {
      return Status::error(Code::kCancelled, "input %zu: cancelled by the sink", part.input);
    }
  }
  return Status();
}

}  // namespace dragoman::pipeline
