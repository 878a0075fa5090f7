// dragoman.h: sessions and translating.
#include <algorithm>
#include <cstring>

#include "dragoman/observe.h"
#include "pipeline/c_api.h"
#include "pipeline/id_parts.h"
#include "pipeline/languages.h"
#include "pipeline/pair_parts.h"
#include "pipeline/translate_options.h"

namespace dragoman::pipeline {

namespace {

// Values are those of the C interface; what is none of them stays none.
kernels::CacheType cache_type(dragoman_cache_type type) {
  const auto value = static_cast<int>(type);
  return static_cast<kernels::CacheType>(value >= 0 && value < 256 ? value : 255);
}

}  // namespace

SessionOptions session_options(const dragoman_session_options* options) {
  const dragoman_session_options given = options != nullptr ? *options : dragoman_default_session_options();
  SessionOptions result;
  result.max_batch = given.max_batch;
  result.max_source_tokens = given.max_source_tokens;
  result.max_source_rows = given.max_source_rows;
  result.threads = given.threads;
  result.max_beam = given.max_beam;
  result.max_n_best = given.max_n_best;
  result.max_target_tokens = given.max_target_tokens;
  result.full_logits = given.full_logits;
  result.cache_type = cache_type(given.cache_type);
  result.attention = given.attention;
  return result;
}

namespace {

// Passes parts on to the caller's functions, and sums up each input.
class CallbackSink final : public Sink {
 public:
  explicit CallbackSink(const dragoman_sink& sink) : sink_(sink) {}

  bool receive(const Part& part, size_t hypothesis, std::string_view text) override {
    if (part.ends_input) return receive_end(part);
    const PartHypothesis found = part.num_hypotheses > 0 ? part.hypotheses[hypothesis] : PartHypothesis();
    const uint32_t flags = part.flags | (found.reached_limit ? uint32_t{kLengthLimit} : 0);
    if (hypothesis == 0) {
      end_.num_segments += 1;
      end_.score += found.score;
      end_.flags |= flags;
      end_.num_replaced += part.num_replaced;
    }
    if (sink_.segment == nullptr) return true;
    dragoman_segment segment = {};
    segment.input = part.input;
    segment.source_begin = part.source_begin;
    segment.source_end = part.source_end;
    segment.text = text.data();
    segment.text_bytes = text.size();
    segment.gap_before = part.gap.data();
    segment.gap_before_bytes = part.gap.size();
    segment.source_ids = part.source_ids.data();
    segment.num_source_ids = part.num_source_ids;
    segment.ids = part.ids_of(hypothesis).data();
    segment.num_ids = found.num_ids;
    segment.score = found.score;
    segment.flags = flags;
    segment.num_replaced = part.num_replaced;
    segment.log_probs = part.log_probs_of(hypothesis).data();
    segment.rank_score = found.rank_score;
    segment.hypothesis = static_cast<uint32_t>(hypothesis);
    segment.num_hypotheses = static_cast<uint32_t>(part.num_hypotheses > 0 ? part.num_hypotheses : 1);
    if (part.has_attention) {
      segment.attention = part.attention_of(hypothesis).data();
      segment.alignment = part.alignment_of(hypothesis).data();
    }
    segment.source_language = part.source_language;
    segment.target_language = part.target_language;
    return sink_.segment(sink_.user, &segment);
  }

 private:
  bool receive_end(const Part& part) {
    dragoman_input_end end = end_;
    end_ = {};
    end.input = part.input;
    end.gap_after = part.gap.data();
    end.gap_after_bytes = part.gap.size();
    return sink_.end == nullptr || sink_.end(sink_.user, &end);
  }

  const dragoman_sink sink_;
  dragoman_input_end end_ = {};
};

// Writes one translation into the caller's buffer and counts what it would need.
class BufferSink final : public Sink {
 public:
  explicit BufferSink(std::span<char> out) : out_(out) {}

  bool receive(const Part& part, size_t hypothesis, std::string_view text) override {
    if (hypothesis > 0) return true;
    append(part.gap);
    append(text);
    return true;
  }
  size_t needed() const { return needed_; }

 private:
  void append(std::string_view text) {
    if (needed_ < out_.size()) {
      std::memcpy(out_.data() + needed_, text.data(), std::min(text.size(), out_.size() - needed_));
    }
    needed_ += text.size();
  }

  std::span<char> out_;
  size_t needed_ = 0;
};

std::string_view get_text(const void* context, size_t index) {
  const dragoman_text& text = static_cast<const dragoman_text*>(context)[index];
  return text.bytes == 0 ? std::string_view() : std::string_view(text.data, text.bytes);
}

std::span<const int32_t> get_ids(const void* context, size_t index) {
  const dragoman_ids& ids = static_cast<const dragoman_ids*>(context)[index];
  return {ids.data, ids.count};
}

LanguageNames language_names(const dragoman_translate_options& given) {
  return {given.source_language, given.target_language};
}

dragoman_code run(Session* session, PartSource* source, const dragoman_translate_options& given,
                  const SequenceLayout& layout, Sink* sink, dragoman_error* error) {
  Translator& translator = session->translator();
  const Result<TranslateOptions> options =
      translate_options(session->model(), given, layout, translator.search_limits());
  if (!options.ok()) return report(options.status(), error);
  return report(translator.run(source, options.value(), sink), error);
}

bool has_null(std::span<const dragoman_text> texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [](const dragoman_text& text) { return text.data == nullptr && text.bytes > 0; });
}

dragoman_code translate_texts(Session* session, std::span<const dragoman_text> inputs,
                              const dragoman_translate_options* options, Sink* sink, dragoman_error* error) {
  const dragoman_translate_options given = options != nullptr ? *options : dragoman_default_translate_options();
  if (has_null(inputs)) return report_null("text", error);
  const Result<SequenceLayout> layout = text_layout(session->model(), language_names(given));
  if (!layout.ok()) return report(layout.status(), error);
  TextParts parts(session->model(), layout.value(), TextInputs{get_text, inputs.data(), inputs.size()},
                  given.one_sentence_per_input, session->text_buffers());
  return run(session, &parts, given, layout.value(), sink, error);
}

}  // namespace
}  // namespace dragoman::pipeline

using namespace dragoman;            // NOLINT(google-build-using-namespace): this file is the library's C face
using namespace dragoman::pipeline;  // NOLINT(google-build-using-namespace)

extern "C" {

dragoman_session_options dragoman_default_session_options(void) {
  const SessionOptions defaults;
  dragoman_session_options options = {};
  options.max_batch = static_cast<uint32_t>(defaults.max_batch);
  options.max_source_tokens = static_cast<uint32_t>(defaults.max_source_tokens);
  options.max_source_rows = static_cast<uint32_t>(defaults.max_source_rows);
  options.threads = static_cast<uint32_t>(defaults.threads);
  options.max_n_best = static_cast<uint32_t>(defaults.max_n_best);
  return options;
}

dragoman_translate_options dragoman_default_translate_options(void) {
  dragoman_translate_options options = {};
  options.shortlist = true;
  options.length_penalty = DRAGOMAN_MODELS_OWN;
  options.word_penalty = DRAGOMAN_MODELS_OWN;
  options.beam_rule = DRAGOMAN_BEAM_MODELS_OWN;
  options.early_stopping = DRAGOMAN_STOP_MODELS_OWN;
  options.min_length = -1;
  options.force_end = -1;
  options.repetition_penalty = DRAGOMAN_MODELS_OWN;
  options.no_repeat_ngram = -1;
  options.temperature = 1.0f;
  options.top_p = 1.0f;
  return options;
}

dragoman_code dragoman_required_memory(const dragoman_model* model, const dragoman_session_options* options,
                                       dragoman_memory* memory, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  if (memory == nullptr) return report_null("memory", error);
  const Result<size_t> bytes = Session::required_bytes(from_handle(model), session_options(options));
  if (!bytes.ok()) return report(bytes.status(), error);
  memory->session_block = bytes.value();
  memory->session_operators = from_handle(model).graph().operator_bytes;
  memory->model_packed = from_handle(model).graph().weights.bytes();
  return DRAGOMAN_OK;
}

dragoman_code dragoman_session_create(const dragoman_model* model, const dragoman_session_options* options, void* block,
                                      size_t block_bytes, dragoman_session** session, dragoman_error* error) {
  if (session == nullptr) return report_null("session", error);
  *session = nullptr;
  if (model == nullptr) return report_null("model", error);
  const Result<Session*> created = Session::create(from_handle(model), session_options(options), block, block_bytes);
  if (!created.ok()) return report(created.status(), error);
  *session = reinterpret_cast<dragoman_session*>(created.value());
  return DRAGOMAN_OK;
}

void dragoman_session_destroy(dragoman_session* session) { Session::destroy(from_handle(session)); }

void dragoman_session_get_memory(const dragoman_session* session, dragoman_memory* memory) {
  if (memory == nullptr) return;
  *memory = {};
  if (session == nullptr) return;
  memory->session_block = from_handle(session).block_bytes();
  memory->session_operators = from_handle(session).operator_bytes();
  memory->model_packed = from_handle(session).model().graph().weights.bytes();
}

void dragoman_session_observe(dragoman_session* session, const dragoman_observer* observer) {
  if (session != nullptr) from_handle(session)->observe(observer);
}

dragoman_code dragoman_translate(dragoman_session* session, const dragoman_text* inputs, size_t num_inputs,
                                 const dragoman_translate_options* options, const dragoman_sink* sink,
                                 dragoman_error* error) {
  if (session == nullptr) return report_null("session", error);
  if (inputs == nullptr && num_inputs > 0) return report_null("inputs", error);
  if (sink == nullptr || (sink->segment == nullptr && sink->end == nullptr)) return report_null("sink", error);
  CallbackSink callback(*sink);
  return translate_texts(from_handle(session), {inputs, num_inputs}, options, &callback, error);
}

dragoman_code dragoman_translate_ids(dragoman_session* session, const dragoman_ids* inputs, size_t num_inputs,
                                     const dragoman_translate_options* options, const dragoman_sink* sink,
                                     dragoman_error* error) {
  if (session == nullptr) return report_null("session", error);
  if (inputs == nullptr && num_inputs > 0) return report_null("inputs", error);
  if (sink == nullptr || (sink->segment == nullptr && sink->end == nullptr)) return report_null("sink", error);
  for (size_t i = 0; i < num_inputs; ++i) {
    if (inputs[i].data == nullptr && inputs[i].count > 0) return report_null("ids", error);
  }
  const dragoman_translate_options given = options != nullptr ? *options : dragoman_default_translate_options();
  Session& own = *from_handle(session);
  const Result<SequenceLayout> layout = id_layout(own.model(), language_names(given));
  if (!layout.ok()) return report(layout.status(), error);
  CallbackSink callback(*sink);
  IdParts parts(own.model(), layout.value(), IdInputs{get_ids, inputs, num_inputs});
  return run(&own, &parts, given, layout.value(), &callback, error);
}

dragoman_code dragoman_score(dragoman_session* session, const dragoman_text* sources, const dragoman_text* targets,
                             size_t num_pairs, const dragoman_translate_options* options, const dragoman_sink* sink,
                             dragoman_error* error) {
  if (session == nullptr) return report_null("session", error);
  if (num_pairs > 0 && (sources == nullptr || targets == nullptr)) return report_null("texts", error);
  if (sink == nullptr || (sink->segment == nullptr && sink->end == nullptr)) return report_null("sink", error);
  if (has_null({sources, num_pairs}) || has_null({targets, num_pairs})) return report_null("text", error);
  Session& own = *from_handle(session);
  const dragoman_translate_options given = options != nullptr ? *options : dragoman_default_translate_options();
  const Result<SequenceLayout> layout = text_layout(own.model(), language_names(given));
  if (!layout.ok()) return report(layout.status(), error);
  const Result<TranslateOptions> chosen =
      score_options(own.model(), given, layout.value(), own.translator().search_limits());
  if (!chosen.ok()) return report(chosen.status(), error);
  PairParts parts(own.model(), layout.value(), TextInputs{get_text, sources, num_pairs},
                  TextInputs{get_text, targets, num_pairs}, own.text_buffers());
  CallbackSink callback(*sink);
  return report(own.translator().run(&parts, chosen.value(), &callback), error);
}

dragoman_code dragoman_translate_text(dragoman_session* session, const char* text, size_t bytes,
                                      const dragoman_translate_options* options, char* out, size_t out_bytes,
                                      size_t* needed, dragoman_error* error) {
  if (session == nullptr) return report_null("session", error);
  if (needed == nullptr) return report_null("needed", error);
  if (out == nullptr && out_bytes > 0) return report_null("out", error);
  const dragoman_text input = {text, bytes};
  BufferSink sink({out, out_bytes});
  const dragoman_code code = translate_texts(from_handle(session), {&input, 1}, options, &sink, error);
  *needed = sink.needed();
  if (code != DRAGOMAN_OK || sink.needed() <= out_bytes) return code;
  return report(
      Status::error(Code::kLimit, "out: room for %zu bytes, the translation has %zu", out_bytes, sink.needed()), error);
}

}  // extern "C"
