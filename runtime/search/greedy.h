// Greedy search: at each position the best id, for many sentences at once in slots that are refilled as they end.
// Neighbours: drives engine::DecoderStep; pipeline/ starts sentences and collects them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "base/status.h"
#include "engine/decoder_step.h"

namespace dragoman::search {

// A sentence to decode. Its slot is its number.
struct DecodeRequest {
  uint32_t sentence = 0;
  std::span<int32_t> ids;  // receives the generated ids, at most ids.size() >= 1 of them; borrowed until it is finished
  int32_t start_id = -1;   // previous id at position 0
  int32_t end_id = 0;
};

// A sentence that ended.
struct DecodeResult {
  uint32_t sentence = 0;
  size_t num_ids = 0;          // written to the request's ids, end id included if it was generated
  float score = 0;             // sum of log-softmax over the allowed ids
  bool reached_limit = false;  // ids was full before the end id came
};

class GreedySearch {
 public:
  void carve(size_t max_sentences, Arena* arena);

  // Precondition: fewer than max_sentences are live and request.sentence is not.
  void start(const DecodeRequest& request);

  size_t num_live() const { return count_; }

  // Takes one position for all live sentences; those that end are written to finished[] and are no longer live.
  // `finished` has room for num_live(). Errors: kNumerical, naming the position; the sentences stay live.
  Result<size_t> advance(engine::DecoderStep& network, std::span<DecodeResult> finished);

  void clear() { count_ = 0; }

 private:
  struct Live {
    DecodeRequest request;
    size_t num_ids = 0;
    float score = 0;
  };
  // Appends the best id of a row; true when the sentence ended.
  static bool take(const kernels::TopK& top, Live* live);

  std::span<Live> live_;  // [max_sentences], the first count_ are live, in order of their start
  std::span<engine::StepRow> rows_;
  std::span<kernels::TopK> top_;
  size_t count_ = 0;
};

}  // namespace dragoman::search
