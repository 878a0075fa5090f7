// The journey of a text: parts in, encode, (step, pick) until they end, text out, in order.
// Neighbours: owns nothing but its buffers; drives engine/ and search/, reads a PartSource, feeds a Sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "engine/engine.h"
#include "pipeline/model.h"
#include "pipeline/part.h"
#include "pipeline/part_queue.h"
#include "pipeline/translate_options.h"
#include "search/search.h"

namespace dragoman::pipeline {

// Receives parts in order, once for each hypothesis, best first. `text` is the translation, empty at the end of an
// input. Returns false to cancel.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual bool receive(const Part& part, size_t hypothesis, std::string_view text) = 0;
};

// Sizes that a session fixes.
struct TranslatorLimits {
  engine::EngineLimits engine;
  size_t max_target_length = 1;  // ids of one hypothesis
  size_t max_hypotheses = 1;     // handed out for each part
  bool full_logits = false;      // room for the logits of all hypotheses

  search::SearchLimits search(const Model& model) const;
};

class Translator {
 public:
  // Carves everything from `arena` (a measuring one only counts). What it refers to must outlive it.
  Status create(const Model& model, const TranslatorLimits& limits, Arena* arena, kernels::HeapAccount* account,
                const ThreadPool* threads);

  // Translates everything that `source` yields. Allocates nothing. Errors: the source's, after everything before it has
  // been delivered; kNumerical; kCancelled when the sink says so. What the sink received stands, and the translator is
  // ready for the next call.
  Status run(PartSource* source, const TranslateOptions& options, Sink* sink);

  engine::Engine& engine() { return engine_; }
  // What a call's options are checked against.
  search::SearchLimits search_limits() const { return limits_.search(*model_); }

 private:
  Status run_until_done(PartSource* source, const TranslateOptions& options, Sink* sink);
  void read(PartSource* source);
  void admit(const TranslateOptions& options);
  void start_search(size_t count, const TranslateOptions& options);
  Status advance();
  void collect(uint32_t sentence);
  Status choose_attention(const TranslateOptions& options);
  static void align(Part& part, size_t hypothesis);
  Status emit(Sink* sink);
  Status emit_part(const Part& part, Sink* sink);
  size_t length_limit(const Part& part, const TranslateOptions& options) const;
  void reset();

  const Model* model_ = nullptr;
  TranslatorLimits limits_;
  model::GenerationDefaults generation_;
  engine::Engine engine_;
  search::Search search_;
  PartQueue queue_;
  std::span<engine::EncodeRequest> requests_;  // [max_sentences] gathered for one encode
  std::span<Part*> requested_;                 // [max_sentences] their parts
  std::span<Part*> in_flight_;                 // [max_sentences] part of each sentence number, null when free
  std::span<uint32_t> finished_;               // [max_sentences] numbers that ended in one step
  std::span<char> text_;                       // translation of one part
  bool keep_attention_ = false;                // of this run
  bool exhausted_ = false;                     // the source has nothing left, or failed
  Status read_error_;                          // how it failed
};

}  // namespace dragoman::pipeline
