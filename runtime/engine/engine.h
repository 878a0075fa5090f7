// One session's network: encode sentences into its states, then step hypotheses over them.
// Neighbours: runs the schedules of graph/plan; search/ drives step(), pipeline/ drives encode() and release().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "engine/ancestors.h"
#include "engine/decoder_step.h"
#include "engine/shortlist.h"
#include "engine/source_row_pool.h"
#include "graph/lowering.h"
#include "graph/plan.h"

namespace dragoman::engine {

// Sizes that a session fixes.
struct EngineLimits {
  size_t max_sentences = 1;        // in flight
  size_t max_beam = 1;             // slots of one sentence
  size_t max_source_length = 256;  // ids of one sentence
  size_t max_source_rows = 256;    // ids of all sentences in flight
  size_t max_target_length = 256;  // ids of one hypothesis: positions of the self-attention cache, if the model has one
  kernels::CacheType cache_type = kernels::CacheType::kF32;
  size_t threads = 1;
  bool attention = false;  // room for attention heads
};

// A head of the decoder's attention to the source.
struct AttentionHead {
  int32_t layer = -1;  // -1: the last
  int32_t head = -1;   // -1: all of the layer
};

// A sentence to encode: `sentence` < max_sentences is its number until release().
struct EncodeRequest {
  uint32_t sentence = 0;
  std::span<const int32_t> ids;  // 1 to max_source_length, all inside the source vocabulary
  bool use_shortlist = true;
};

class Engine final : public DecoderStep {
 public:
  // Carves everything from `arena` (a measuring one only counts). `graph`, `account` and `threads` must outlive it.
  Status create(const graph::LoweredGraph& graph, const EngineLimits& limits, Arena* arena,
                kernels::HeapAccount* account, const ThreadPool* threads);

  // How many of `requests`, from the first, can be encoded together now. At least 1 when no sentence is in flight.
  size_t admissible(std::span<const EncodeRequest> requests) const;

  // Encodes the sentences and keeps what decoding needs. Precondition: admissible(requests) == requests.size().
  void encode(std::span<const EncodeRequest> requests);

  // Forgets a sentence; its rows and number are free again.
  void release(uint32_t sentence);
  void release_all();

  void step(std::span<const StepRow> rows, size_t top_k, std::span<kernels::TopK> top) override;

  // Ids that a sentence may use; empty: all.
  std::span<const int32_t> allowed_ids(uint32_t sentence) const override { return sentences_[sentence].allowed; }
  size_t vocabulary() const override { return vocabulary_; }

  // The heads whose average StepRow::attention gets: none, then those added. Precondition: EngineLimits::attention.
  // Errors: kInvalidArgument for a head that is not there.
  void clear_attention_heads();
  Status add_attention_head(const AttentionHead& wanted);

  // Shows values as they are computed, until set to null.
  void set_observer(ops::Observer* observer) { observer_ = observer; }

  static ops::Capacities capacities(const EngineLimits& limits);

 private:
  struct Sentence {
    ops::SourceRange range;
    std::span<const int32_t> allowed;
  };
  // Per row of a step.
  struct StepBuffers {
    std::span<int32_t> previous_ids;
    std::span<int32_t> positions;
    std::span<int32_t> parents;
    std::span<int32_t> slots;
    std::span<ops::SourceRange> sources;
    std::span<ops::AllowedIds> allowed;
    std::span<ops::LogitsRequest> logits;
    std::span<float*> attention;
  };

  void carve_buffers(Arena* arena);
  void set_allowed(const EncodeRequest& request);
  void clear_attention(std::span<const StepRow> rows);
  void average_attention(std::span<const StepRow> rows);
  int32_t bounded_position(int32_t position) const;

  EngineLimits limits_;
  const graph::LoweredGraph* graph_ = nullptr;
  ops::Capacities capacities_;
  graph::Plan plan_;
  const ThreadPool* threads_ = nullptr;
  ops::Observer* observer_ = nullptr;
  size_t vocabulary_ = 0;
  std::span<const int32_t> suppressed_;
  bool sum_suppressed_ = false;
  Shortlist shortlist_;
  SourceRowPool pool_;
  Ancestors ancestors_;
  size_t state_phase_ = 0;
  std::span<Sentence> sentences_;   // [max_sentences]
  std::span<int32_t> allowed_ids_;  // [max_sentences, allowed_capacity_]
  size_t allowed_capacity_ = 0;
  std::span<int32_t> source_ids_;        // [source rows of a run]
  std::span<int32_t> source_positions_;  // [source rows of a run]
  std::span<uint32_t> segment_begins_;   // [sentences of a run + 1]
  StepBuffers step_;
  std::span<uint8_t> attention_heads_;  // [heads of all cross-attentions] 1: wanted
  float attention_share_ = 1.0f;        // 1 / number of the wanted ones
};

}  // namespace dragoman::engine
