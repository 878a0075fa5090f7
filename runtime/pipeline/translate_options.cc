#include "pipeline/translate_options.h"

#include <algorithm>

namespace dragoman::pipeline {

namespace {

using model::GenerationDefaults;

bool is_own(float value) { return value == DRAGOMAN_MODELS_OWN; }
float own_unless(float value, float own) { return is_own(value) ? own : value; }
size_t own_unless(int32_t value, size_t own) { return value < 0 ? own : static_cast<size_t>(value); }

Status check_ids(const char* name, std::span<const int32_t> ids, int32_t lowest, const Model& model) {
  const auto vocabulary = static_cast<int32_t>(model.view().target_vocabulary());
  for (const int32_t id : ids) {
    if (id >= lowest && id < vocabulary) continue;
    return Status::error(Code::kInvalidArgument, "%s: id %d is outside the vocabulary of %d", name, id, vocabulary);
  }
  return Status();
}

Status set_lengths(const dragoman_translate_options& given, const GenerationDefaults& own, size_t room,
                   TranslateOptions* options) {
  options->max_length_factor = given.max_length_factor > 0 ? given.max_length_factor : own.max_length_factor;
  if (!(given.max_length_factor >= 0 && given.max_length_factor <= model::kMaxLengthFactor)) {
    return Status::error(Code::kInvalidArgument, "max_length_factor: found %g, expected 0 to %g",
                         static_cast<double>(given.max_length_factor), static_cast<double>(model::kMaxLengthFactor));
  }
  if (given.max_length > room) {
    return Status::error(Code::kInvalidArgument, "max_length: found %u, the session has room for %zu ids",
                         given.max_length, room);
  }
  options->max_length = given.max_length > 0 ? given.max_length : own.max_length;
  search::SearchOptions& search = options->search;
  search.constraints.min_length = own_unless(given.min_length, own.min_length);
  if (given.min_length > 0 && given.max_length > 0 && search.constraints.min_length > given.max_length) {
    return Status::error(Code::kInvalidArgument, "min_length: found %d, more than max_length %u", given.min_length,
                         given.max_length);
  }
  search.force_end = given.force_end < 0 ? own.force_end : given.force_end > 0;
  return Status();
}

Status set_beam(const dragoman_translate_options& given, const GenerationDefaults& own, size_t max_beam,
                search::SearchOptions* search) {
  if (given.beam_rule > DRAGOMAN_BEAM_HUGGING_FACE || given.early_stopping > DRAGOMAN_STOP_WHEN_IMPOSSIBLE) {
    return Status::error(Code::kInvalidArgument,
                         "beam_rule and early_stopping: found %d and %d, expected at most %d and %d", given.beam_rule,
                         given.early_stopping, DRAGOMAN_BEAM_HUGGING_FACE, DRAGOMAN_STOP_WHEN_IMPOSSIBLE);
  }
  search->num_hypotheses = std::max<size_t>(given.n_best, 1);
  const size_t own_beam = std::min(std::max<size_t>(own.beam_size, search->num_hypotheses), max_beam);
  search->beam_size = given.beam > 0 ? given.beam : own_beam;
  search->beam_rule = given.beam_rule < 0 ? own.beam_rule : static_cast<model::BeamRule>(given.beam_rule);
  search->early_stopping =
      given.early_stopping < 0 ? own.early_stopping : static_cast<model::EarlyStopping>(given.early_stopping);
  search->length_penalty = own_unless(given.length_penalty, own.length_penalty);
  search->word_penalty = own_unless(given.word_penalty, own.word_penalty);
  return Status();
}

void set_attention(const dragoman_translate_options& given, const GenerationDefaults& own, TranslateOptions* options) {
  options->search.keep_attention = given.attention;
  options->search.coverage_penalty = given.coverage_penalty;
  options->own_head = {own.alignment_layer, own.alignment_head};
  if (given.attention_heads != nullptr) options->attention_heads = {given.attention_heads, given.num_attention_heads};
}

void set_sampling(const dragoman_translate_options& given, search::Sampling* sampling) {
  sampling->enabled = given.sample;
  sampling->temperature = given.temperature;
  sampling->top_k = given.top_k;
  sampling->top_p = given.top_p;
  sampling->min_p = given.min_p;
  sampling->seed = given.seed;
}

Status set_constraints(const dragoman_translate_options& given, const Model& model, const SequenceLayout& layout,
                       TranslateOptions* options) {
  const GenerationDefaults own = model.view().generation();
  search::Constraints& constraints = options->search.constraints;
  constraints.repetition_penalty = own_unless(given.repetition_penalty, own.repetition_penalty);
  constraints.no_repeat_ngram = own_unless(given.no_repeat_ngram, own.no_repeat_ngram);
  constraints.bad_words[0] = own.bad_words;
  constraints.bad_words[1] = {given.bad_words, given.num_bad_words};
  constraints.suppressed = {given.suppressed_ids, given.num_suppressed_ids};
  options->start_id = layout.start_id;
  options->forced_ids = pipeline::forced_ids(model, layout);
  if (given.forced_ids != nullptr) options->forced_ids = {given.forced_ids, given.num_forced_ids};
  DRAGOMAN_RETURN_IF_ERROR(check_ids("forced_ids", options->forced_ids, 0, model));
  DRAGOMAN_RETURN_IF_ERROR(check_ids("bad_words", constraints.bad_words[1], -1, model));
  return check_ids("suppressed_ids", constraints.suppressed, 0, model);
}

// Forced ids count in what the caller or the session allows, and one more has to fit.
Status check_forced(const dragoman_translate_options& given, size_t num_forced, size_t room) {
  const size_t limit = given.max_length > 0 ? given.max_length : room;
  if (num_forced < limit) return Status();
  return Status::error(Code::kInvalidArgument,
                       "%s: found %zu, expected at least %zu, as the translation begins with forced ids",
                       given.max_length > 0 ? "max_length" : "max_target_tokens", limit, num_forced + 1);
}

Status check_pointers(const dragoman_translate_options& given) {
  const bool missing = (given.forced_ids == nullptr && given.num_forced_ids > 0) ||
                       (given.bad_words == nullptr && given.num_bad_words > 0) ||
                       (given.attention_heads == nullptr && given.num_attention_heads > 0) ||
                       (given.suppressed_ids == nullptr && given.num_suppressed_ids > 0);
  if (missing) return Status::error(Code::kInvalidArgument, "translate options: a null pointer with a count");
  return Status();
}

}  // namespace

Result<TranslateOptions> translate_options(const Model& model, const dragoman_translate_options& given,
                                           const SequenceLayout& layout, const search::SearchLimits& limits) {
  const GenerationDefaults own = model.view().generation();
  TranslateOptions options;
  options.use_shortlist = given.shortlist;
  DRAGOMAN_RETURN_IF_ERROR(check_pointers(given));
  DRAGOMAN_RETURN_IF_ERROR(set_lengths(given, own, limits.max_length, &options));
  DRAGOMAN_RETURN_IF_ERROR(set_beam(given, own, limits.max_beam, &options.search));
  DRAGOMAN_RETURN_IF_ERROR(set_constraints(given, model, layout, &options));
  set_sampling(given, &options.search.sampling);
  set_attention(given, own, &options);
  DRAGOMAN_RETURN_IF_ERROR(check_forced(given, options.forced_ids.size(), limits.max_length));
  DRAGOMAN_RETURN_IF_ERROR(search::check(options.search, limits));
  return options;
}

Result<TranslateOptions> score_options(const Model& model, const dragoman_translate_options& given,
                                       const SequenceLayout& layout, const search::SearchLimits& limits) {
  const GenerationDefaults own = model.view().generation();
  TranslateOptions options;
  options.use_shortlist = false;
  options.start_id = layout.start_id;
  options.search.score_forced = true;
  options.search.length_penalty = own_unless(given.length_penalty, own.length_penalty);
  options.search.word_penalty = own_unless(given.word_penalty, own.word_penalty);
  DRAGOMAN_RETURN_IF_ERROR(check_pointers(given));
  set_attention(given, own, &options);
  DRAGOMAN_RETURN_IF_ERROR(search::check(options.search, limits));
  return options;
}

bool needs_logits(const model::GenerationDefaults& generation) {
  return generation.repetition_penalty != 1.0f || generation.no_repeat_ngram > 0 || !generation.bad_words.empty();
}

}  // namespace dragoman::pipeline
