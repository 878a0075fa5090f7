// What flows through a session: parts of inputs in reading order, from text to ids to text.
// Neighbours: a PartSource reads them, the translator decodes them, the sink receives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"

namespace dragoman::pipeline {

// Flags of a part; values equal those of dragoman.h.
enum PartFlags : uint32_t { kCut = 1, kLengthLimit = 2, kReplacedInvalid = 4 };

// One of the translations of a part.
struct PartHypothesis {
  size_t num_ids = 0;
  float score = 0;       // sum of log-probabilities
  float rank_score = 0;  // by which hypotheses are ranked
  bool reached_limit = false;
};

// A sentence, a part of one that was too long, or the end of an input. Lives in a slot of the part queue.
struct Part {
  size_t input = 0;
  bool ends_input = false;  // no sentence: `gap` is the white space after the input's last one
  std::string_view gap;     // white space before the sentence, as it was; borrowed from the input
  size_t source_begin = 0;  // byte range in the input
  size_t source_end = 0;
  uint32_t flags = 0;
  size_t num_replaced = 0;  // ill-formed sequences read as U+FFFD

  const char* source_language = "";  // codes; they live as long as the model
  const char* target_language = "";

  std::span<int32_t> source_ids;  // buffer of the slot
  size_t num_source_ids = 0;
  size_t num_prefix_ids = 0;             // of them before the text's ids
  size_t num_suffix_ids = 0;             // of them after the text's ids
  size_t max_ids = 0;                    // of one hypothesis
  std::span<int32_t> ids;                // buffer of the slot, [hypotheses, max_ids]
  std::span<float> log_probs;            // the same
  std::span<float> attention;            // buffer of the slot, [hypotheses, max_ids x most source ids]; may be empty
  std::span<int32_t> alignment;          // [hypotheses, max_ids]; may be empty
  std::span<PartHypothesis> hypotheses;  // buffer of the slot
  size_t num_hypotheses = 0;             // best first; 0: an empty translation
  size_t num_target_ids = 0;             // when a given translation is scored: its ids stand in `ids`
  size_t num_forced_ids = 0;             // of them what every translation begins with

  bool admitted = false;  // handed to the network
  bool done = false;      // ready for the sink
  bool has_attention = false;

  // Nothing but what stands around a text: the translation is empty.
  bool is_empty() const { return num_source_ids == num_prefix_ids + num_suffix_ids; }

  std::span<int32_t> ids_of(size_t hypothesis) const { return ids.subspan(hypothesis * max_ids, max_ids); }
  std::span<float> log_probs_of(size_t hypothesis) const { return log_probs.subspan(hypothesis * max_ids, max_ids); }
  // [num_ids, num_source_ids]
  std::span<float> attention_of(size_t hypothesis) const {
    return attention.subspan(hypothesis * max_ids * source_ids.size(), max_ids * source_ids.size());
  }
  std::span<int32_t> alignment_of(size_t hypothesis) const { return alignment.subspan(hypothesis * max_ids, max_ids); }

  // Forgets everything but the buffers.
  void reset() {
    Part fresh;
    fresh.source_ids = source_ids;
    fresh.max_ids = max_ids;
    fresh.ids = ids;
    fresh.log_probs = log_probs;
    fresh.attention = attention;
    fresh.alignment = alignment;
    fresh.hypotheses = hypotheses;
    *this = fresh;
  }
};

// Yields the parts of all inputs in order. Does not allocate.
class PartSource {
 public:
  virtual ~PartSource() = default;
  // Fills `part` (reset, with buffers); false when there is nothing left. An error ends the call that asked for it.
  virtual Result<bool> next(Part* part) = 0;
};

}  // namespace dragoman::pipeline
