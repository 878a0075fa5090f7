// How one call translates: the caller's wishes over the model's defaults.
// Neighbours: the C ABI fills in the wishes, the translator follows the result.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "dragoman/dragoman.h"
#include "engine/engine.h"
#include "pipeline/languages.h"
#include "pipeline/model.h"
#include "search/options.h"

namespace dragoman::pipeline {

struct TranslateOptions {
  bool use_shortlist = true;
  float max_length_factor = 0;          // generated ids <= factor x source ids, end id counted on both sides
  size_t max_length = 0;                // generated ids; 0: as many as the session has room for
  int32_t start_id = -1;                // previous id at position 0; -1: a zero embedding
  std::span<const int32_t> forced_ids;  // every translation begins with them
  // Whose attention is averaged. Few: they are the caller's, or the model's own one.
  std::span<const dragoman_attention_head> attention_heads;
  engine::AttentionHead own_head;
  search::SearchOptions search;
};

// What the caller left open is that of the languages, then the model's, as far as the session has room for it. What
// `given` points to and `layout` are borrowed. Errors: kInvalidArgument and kUnsupported, naming the option.
Result<TranslateOptions> translate_options(const Model& model, const dragoman_translate_options& given,
                                           const SequenceLayout& layout, const search::SearchLimits& limits);

// The same for scoring given translations.
Result<TranslateOptions> score_options(const Model& model, const dragoman_translate_options& given,
                                       const SequenceLayout& layout, const search::SearchLimits& limits);

// Whether the model's own defaults look at all logits.
bool needs_logits(const model::GenerationDefaults& generation);

}  // namespace dragoman::pipeline
