#include "pipeline/translator.h"

#include <algorithm>
#include <cmath>

namespace dragoman::pipeline {

namespace {

// Parts that wait or are finished while an earlier one is still decoded, so that slots need not stay empty behind it.
constexpr size_t kQueuedPartsPerSlot = 4;

}  // namespace

Status Translator::create(const Model& model, const TranslatorLimits& limits, Arena* arena,
                          kernels::HeapAccount* account, const ThreadPool* threads) {
  model_ = &model;
  limits_ = limits;
  generation_ = model.view().generation();
  DRAGOMAN_RETURN_IF_ERROR(engine_.create(model.graph(), limits.engine, arena, account, threads));
  const size_t sentences = limits.engine.max_sentences;
  search_.carve(sentences, arena);
  queue_.carve(
      {sentences == 1 ? 1 : sentences * kQueuedPartsPerSlot, limits.engine.max_source_length, limits.max_target_length},
      arena);
  requests_ = arena->carve<engine::EncodeRequest>(sentences);
  requested_ = arena->carve<Part*>(sentences);
  in_flight_ = arena->carve<Part*>(sentences);
  finished_ = arena->carve<search::DecodeResult>(sentences);
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
  const Status status = run_until_done(source, options, sink);
  reset();
  return status;
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
    if (!part->ends_input && is_empty(*part)) part->done = true;
    queue_.push();
  }
}

// Nothing but the end id: the translation is empty.
bool Translator::is_empty(const Part& part) const {
  return part.num_source_ids == 0 || (part.num_source_ids == 1 && part.source_ids[0] == generation_.end_id);
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
    search_.start(
        {requests_[i].sentence, part.ids.first(length_limit(part, options)), generation_.start_id, generation_.end_id});
  }
}

size_t Translator::length_limit(const Part& part, const TranslateOptions& options) const {
  const float factor = options.max_length_factor > 0 ? options.max_length_factor : generation_.max_length_factor;
  const double limit = std::ceil(static_cast<double>(factor) * static_cast<double>(part.num_source_ids));
  return static_cast<size_t>(std::clamp(limit, 1.0, static_cast<double>(part.ids.size())));
}

Status Translator::advance() {
  if (search_.num_live() == 0) return Status();
  DRAGOMAN_ASSIGN_OR_RETURN(const size_t count, search_.advance(engine_, finished_));
  for (const search::DecodeResult& result : finished_.first(count)) {
    Part& part = *in_flight_[result.sentence];
    part.num_ids = result.num_ids;
    part.score = result.score;
    if (result.reached_limit) part.flags |= kLengthLimit;
    part.done = true;
    in_flight_[result.sentence] = nullptr;
    engine_.release(result.sentence);
  }
  return Status();
}

// Hands finished parts to the sink, in order.
Status Translator::emit(Sink* sink) {
  while (queue_.size() > 0 && queue_[0].done) {
    const Part& part = queue_[0];
    DRAGOMAN_ASSIGN_OR_RETURN(const size_t bytes,
                              model_->target_tokenizer().decode(part.ids.first(part.num_ids), text_));
    if (!sink->receive(part, std::string_view(text_.data(), bytes))) {
      return Status::error(Code::kCancelled, "input %zu: cancelled by the sink", part.input);
    }
    queue_.pop_front();
  }
  return Status();
}

}  // namespace dragoman::pipeline
