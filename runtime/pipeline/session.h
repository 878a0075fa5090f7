// What one caller at a time translates with: a translator and its memory, in one block.
// Neighbours: the C ABI hands it out as dragoman_session.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/heap_account.h"
#include "pipeline/model.h"
#include "pipeline/text_parts.h"
#include "pipeline/translator.h"
#include "pipeline/value_observer.h"

namespace dragoman::pipeline {

struct SessionOptions {
  size_t max_batch = 1;            // sentences decoded at once
  size_t max_source_tokens = 256;  // of one part, end token included
  size_t max_source_rows = 0;      // source tokens in flight; 0: max_batch x 64, at least max_source_tokens
  size_t threads = 1;              // inside one operator
  size_t max_beam = 0;             // hypotheses of a sentence at once; 0: what the model's defaults need
  size_t max_n_best = 1;           // of them handed out
  size_t max_target_tokens = 0;    // generated ids of one part; 0: what the model's defaults need
  bool full_logits = false;        // for sampling, constraints and scoring
  kernels::CacheType cache_type = kernels::CacheType::kF32;
  bool attention = false;  // for the attention of generated ids and the coverage penalty
};

class Session {
 public:
  // Refuses options out of range; otherwise the sizes that a session of this model gets.
  static Result<TranslatorLimits> limits(const Model& model, const SessionOptions& options);

  // Bytes of the block, exact. Allocates temporarily.
  static Result<size_t> required_bytes(const Model& model, const SessionOptions& options);

  // Creates a session in `block` (64-byte aligned, borrowed until destroy()) or, when it is null, in memory of its own.
  // kOutOfMemory names the bytes needed when `block_bytes` do not suffice.
  static Result<Session*> create(const Model& model, const SessionOptions& options, void* block, size_t block_bytes);
  static void destroy(Session* session);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Model& model() const { return model_; }
  Translator& translator() { return translator_; }
  const TextBuffers& text_buffers() const { return text_buffers_; }

  // Shows `target` every f32 value of the network; null ends it.
  void observe(const dragoman_observer* target);

  // High-water mark of the block, and what XNNPACK's operators of this session hold.
  size_t block_bytes() const { return used_; }
  size_t operator_bytes() const { return account_.bytes; }

 private:
  explicit Session(const Model& model) : model_(model) {}
  ~Session() = default;
  Status lay_out(const TranslatorLimits& limits, Arena* arena);

  const Model& model_;
  kernels::HeapAccount account_;  // outlives the translator, whose operators are charged to it
  ThreadPool threads_;
  TextBuffers text_buffers_;
  ValueObserver observer_;
  Translator translator_;
  void* owned_block_ = nullptr;
  size_t used_ = 0;
};

}  // namespace dragoman::pipeline
