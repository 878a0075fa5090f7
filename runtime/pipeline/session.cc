#include "pipeline/session.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "dragoman/dragoman.h"

namespace dragoman::pipeline {

namespace {

constexpr size_t kMinSourceTokens = 2;  // one id and the end id
constexpr size_t kSourceRowsPerSentence = 64;
constexpr size_t kMaxSourceRows = size_t{DRAGOMAN_MAX_BATCH} * DRAGOMAN_MAX_SOURCE_TOKENS;
static_assert(DRAGOMAN_MAX_BEAM == model::kMaxBeamSize && DRAGOMAN_MAX_PENALTY == model::kMaxPenalty &&
              DRAGOMAN_MAX_LENGTH_FACTOR == model::kMaxLengthFactor);

Status check_range(const char* name, size_t value, size_t min, size_t max) {
  if (value >= min && value <= max) return Status();
  return Status::error(Code::kInvalidArgument, "%s: found %zu, expected %zu to %zu", name, value, min, max);
}

// Generated ids that one part has room for: by the model's own settings at least one beside those that its translations
// begin with.
Result<size_t> target_length(const model::ModelView& view, const SessionOptions& options, size_t max_source_length) {
  constexpr size_t kUnbounded = DRAGOMAN_MAX_TARGET_TOKENS;
  const size_t positions = view.max_target_positions() > 0 ? view.max_target_positions() : kUnbounded;
  if (options.max_target_tokens > 0) {
    DRAGOMAN_RETURN_IF_ERROR(check_range("max_target_tokens", options.max_target_tokens, 1, positions));
    return options.max_target_tokens;
  }
  const model::GenerationDefaults generation = view.generation();
  const double target =
      std::ceil(static_cast<double>(generation.max_length_factor) * static_cast<double>(max_source_length));
  size_t length = static_cast<size_t>(std::clamp(target, 1.0, static_cast<double>(positions)));
  if (generation.max_length > 0) length = std::min<size_t>(length, generation.max_length);
  const size_t num_forced = std::max(generation.forced_ids.size(), view.language_layout().forced_ids.size());
  return std::max(length, std::min(num_forced + 1, positions));
}

}  // namespace

Result<TranslatorLimits> Session::limits(const Model& model, const SessionOptions& options) {
  DRAGOMAN_RETURN_IF_ERROR(check_range("max_batch", options.max_batch, 1, DRAGOMAN_MAX_BATCH));
  DRAGOMAN_RETURN_IF_ERROR(check_range("threads", options.threads, 1, DRAGOMAN_MAX_THREADS));
  DRAGOMAN_RETURN_IF_ERROR(
      check_range("max_source_tokens", options.max_source_tokens, kMinSourceTokens, DRAGOMAN_MAX_SOURCE_TOKENS));
  const model::ModelView& view = model.view();
  TranslatorLimits limits;
  engine::EngineLimits& engine = limits.engine;
  engine.max_sentences = options.max_batch;
  engine.threads = options.threads;
  engine.max_source_length = options.max_source_tokens;
  if (view.max_source_positions() > 0) {
    engine.max_source_length = std::min<size_t>(engine.max_source_length, view.max_source_positions());
  }
  engine.max_source_rows = options.max_source_rows != 0
                               ? options.max_source_rows
                               : std::max(engine.max_source_length, options.max_batch * kSourceRowsPerSentence);
  DRAGOMAN_RETURN_IF_ERROR(
      check_range("max_source_rows", engine.max_source_rows, engine.max_source_length, kMaxSourceRows));
  const model::GenerationDefaults generation = view.generation();
  const size_t own_beam = std::max<size_t>(generation.beam_size, options.max_n_best);
  engine.max_beam = options.max_beam > 0 ? options.max_beam : own_beam;
  DRAGOMAN_RETURN_IF_ERROR(check_range("max_beam", engine.max_beam, 1, model::kMaxBeamSize));
  DRAGOMAN_RETURN_IF_ERROR(check_range("max_n_best", options.max_n_best, 1, engine.max_beam));
  limits.max_hypotheses = options.max_n_best;
  limits.full_logits = options.full_logits || needs_logits(generation);
  DRAGOMAN_ASSIGN_OR_RETURN(limits.max_target_length, target_length(view, options, engine.max_source_length));
  engine.max_target_length = limits.max_target_length;
  if (static_cast<size_t>(options.cache_type) >= kernels::kNumCacheTypes) {
    return Status::error(Code::kInvalidArgument, "cache_type: found %d, expected 0 to %zu",
                         static_cast<int>(options.cache_type), kernels::kNumCacheTypes - 1);
  }
  engine.cache_type = options.cache_type;
  engine.attention = options.attention;
  return limits;
}

Result<size_t> Session::required_bytes(const Model& model, const SessionOptions& options) {
  DRAGOMAN_ASSIGN_OR_RETURN(const TranslatorLimits sizes, limits(model, options));
  Session measured(model);
  Arena arena = Arena::measuring();
  arena.carve_bytes(sizeof(Session));
  DRAGOMAN_RETURN_IF_ERROR(measured.lay_out(sizes, &arena));
  // What is too much for the arena does not add up either.
  if (arena.failed())
    return Status::error(Code::kOutOfMemory, "session: its limits ask for more than can be addressed");
  return arena.used();
}

Status Session::lay_out(const TranslatorLimits& limits, Arena* arena) {
  const size_t target_length = limits.full_logits ? limits.max_target_length : 0;
  text_buffers_.carve(model_, limits.engine.max_source_length, target_length, arena);
  return translator_.create(model_, limits, arena, &account_, &threads_);
}

Result<Session*> Session::create(const Model& model, const SessionOptions& options, void* block, size_t block_bytes) {
  DRAGOMAN_ASSIGN_OR_RETURN(const TranslatorLimits sizes, limits(model, options));
  DRAGOMAN_ASSIGN_OR_RETURN(const size_t needed, required_bytes(model, options));
  if (block != nullptr && reinterpret_cast<uintptr_t>(block) % kBufferAlignment != 0) {
    return Status::error(Code::kInvalidArgument, "session block: %p is not %zu-byte aligned", block, kBufferAlignment);
  }
  if (block != nullptr && block_bytes < needed) {
    return Status::error(Code::kOutOfMemory, "session block: found %zu bytes, needs %zu", block_bytes, needed);
  }
  DRAGOMAN_ASSIGN_OR_RETURN(ThreadPool threads, ThreadPool::create(options.threads));
  void* owned = nullptr;
  if (block == nullptr) {
    if (posix_memalign(&owned, kBufferAlignment, needed) != 0) {
      return Status::error(Code::kOutOfMemory, "session: no memory for its %zu bytes", needed);
    }
    block = owned;
  }
  Arena arena(block, needed);
  auto* session = new (arena.carve_bytes(sizeof(Session))) Session(model);
  session->owned_block_ = owned;
  session->threads_.swap(threads);
  const Status status = session->lay_out(sizes, &arena);
  if (!status.ok() || arena.failed()) {
    destroy(session);
    return status.ok() ? Status::error(Code::kInternal, "session: its plan and its measure differ") : status;
  }
  session->used_ = arena.used();
  return session;
}

void Session::observe(const dragoman_observer* target) {
  if (target != nullptr) observer_.set(*target);
  translator_.engine().set_observer(target != nullptr ? &observer_ : nullptr);
}

void Session::destroy(Session* session) {
  if (session == nullptr) return;
  void* owned = session->owned_block_;
  session->~Session();
  std::free(owned);
}

}  // namespace dragoman::pipeline
