// How to decode: beam, sampling and constraints of one run, and what a session must reserve for them.
// Neighbours: pipeline/ fills them from the model's defaults and the caller's wishes; search.h follows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "model/model_view.h"

namespace dragoman::search {

// What may not be generated. Applied in the order in which Hugging Face documents its logits processors: repetition
// penalty, repeated n-grams, bad words, minimum length, suppressed ids. The history that the first three look at is
// the start id, if there is one, and what was generated so far.
struct Constraints {
  // Ids before the end id may come; forced ones are not counted. When nothing else is left, the end id comes anyway.
  size_t min_length = 0;
  // A score of an id of the history is multiplied by it when negative, else divided (Keskar et al. 2019, CTRL). Beam
  // search penalizes log-probabilities, the others logits. 1: none.
  float repetition_penalty = 1.0f;
  size_t no_repeat_ngram = 0;             // no n-gram of this size comes twice; 0: any may
  std::span<const int32_t> bad_words[2];  // sequences that never come, each followed by -1: the model's, the caller's
  std::span<const int32_t> suppressed;    // ids that never come, beside those of the model

  bool need_logits() const {
    return repetition_penalty != 1.0f || no_repeat_ngram > 0 || !bad_words[0].empty() || !bad_words[1].empty() ||
           !suppressed.empty();
  }
};

// Drawing at random: temperature, then the k best, then the smallest set of best ids with probability p, then ids of at
// least min_p times the best one's probability. A draw depends on the seed, the request's key, the number of the
// hypothesis and the position, so not on what else is decoded.
struct Sampling {
  bool enabled = false;
  float temperature = 1.0f;  // above 0
  size_t top_k = 0;          // 0: all
  float top_p = 1.0f;        // above 0, at most 1
  float min_p = 0;           // 0 to 1
  uint64_t seed = 0;
};

struct SearchOptions {
  size_t beam_size = 1;       // 1: greedy; with sampling not used
  size_t num_hypotheses = 1;  // at most beam_size; with sampling the number of draws
  model::BeamRule beam_rule = model::BeamRule::kMarian;
  model::EarlyStopping early_stopping = model::EarlyStopping::kWhenUnlikely;
  float length_penalty = 1.0f;
  float word_penalty = 0;
  float coverage_penalty = 0;  // times AttentionRows::coverage() is added to the rank score of what ends
  bool keep_attention = false;
  bool force_end = false;  // the last id that fits is the end id
  // A request's forced ids are its whole output and, but for its num_certain first, get the probabilities that the
  // model gives them: scores a translation instead of finding one.
  bool score_forced = false;
  Sampling sampling;
  Constraints constraints;

  // Hypotheses of a sentence at once.
  size_t width() const { return sampling.enabled ? num_hypotheses : beam_size; }
  bool need_attention() const { return keep_attention || coverage_penalty != 0; }
  bool need_logits() const { return sampling.enabled || score_forced || constraints.need_logits(); }
};

// What a session reserves for searching.
struct SearchLimits {
  size_t max_sentences = 1;
  size_t max_beam = 1;        // width() at most
  size_t max_hypotheses = 1;  // num_hypotheses at most
  size_t max_length = 1;      // generated ids of a sentence
  size_t vocabulary = 0;      // columns of full logits; 0: none, so that need_logits() is refused
  size_t source_length = 0;   // source ids that attention is kept for; 0: none, so that need_attention() is refused
};

// Refuses, by name, what is out of range or beyond the limits.
Status check(const SearchOptions& options, const SearchLimits& limits);

}  // namespace dragoman::search
