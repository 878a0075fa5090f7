/* Dragoman: on-device translation. This is the stable C interface.
 *
 * A model is a mapped .drg file, shared and immutable. A session owns everything one caller at a time needs to
 * translate; its memory is reserved when it is created, and translating allocates nothing. Text is UTF-8. Nothing is
 * printed.
 *
 *   dragoman_model* model;  dragoman_error error;
 *   if (dragoman_model_open("en-pt.drg", NULL, &model, &error)) fail(error.message);
 *   dragoman_session* session;
 *   dragoman_session_create(model, NULL, NULL, 0, &session, &error);
 *   char out[1000];  size_t bytes;
 *   dragoman_translate_text(session, "How are you today?", 18, NULL, out, sizeof out, &bytes, &error);
 */
#ifndef DRAGOMAN_DRAGOMAN_H_
#define DRAGOMAN_DRAGOMAN_H_

/* This is C, whatever the file that includes it is. NOLINTBEGIN(modernize-*,readability-identifier-naming) */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DRAGOMAN_API __attribute__((visibility("default")))
#else
#define DRAGOMAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. 0 is success. */
typedef enum dragoman_code {
  DRAGOMAN_OK = 0,
  DRAGOMAN_INVALID_ARGUMENT = 1, /* an option, a shape or a null pointer */
  DRAGOMAN_NOT_FOUND = 2,
  DRAGOMAN_IO = 3,
  DRAGOMAN_DAMAGED = 4,        /* the file contradicts itself */
  DRAGOMAN_UNSUPPORTED = 5,    /* well formed, but this build cannot do it */
  DRAGOMAN_NEWER_REVISION = 6, /* written for a later reader */
  DRAGOMAN_OUT_OF_MEMORY = 7,  /* the block is too small (the message says what is needed) or an allocation failed */
  DRAGOMAN_LIMIT = 8,          /* a limit fixed at session creation */
  DRAGOMAN_CANCELLED = 9,      /* the sink asked to stop */
  DRAGOMAN_NUMERICAL = 10,     /* NaN or infinity among the scores */
  DRAGOMAN_INTERNAL = 11
} dragoman_code;

/* Filled by a failing call; untouched by a successful one. Every `error` argument may be null. */
typedef struct dragoman_error {
  dragoman_code code;
  char message[232]; /* NUL-terminated; names the thing */
} dragoman_error;

typedef struct dragoman_model dragoman_model;
typedef struct dragoman_session dragoman_session;

/* "major.minor.patch". Static. */
DRAGOMAN_API const char* dragoman_version(void);

/* ---- model ------------------------------------------------------------------------------------------------------- */

typedef enum dragoman_compute {
  DRAGOMAN_COMPUTE_INT8 = 0, /* int8 products where weights are int8: the default */
  DRAGOMAN_COMPUTE_F32 = 1   /* the same weights, float products: for comparison */
} dragoman_compute;

typedef struct dragoman_model_options {
  dragoman_compute compute;
  bool verify_checksums; /* read the whole file and compare its checksums */
} dragoman_model_options;

/* The defaults: int8, no checksums. Use it to initialise, so that later fields get their defaults. */
DRAGOMAN_API dragoman_model_options dragoman_default_model_options(void);

/* Maps the file, verifies it and packs its weights for this processor. `options` may be null. The file must not change
 * while the model is open (a new one may take its place by rename). Errors name the file and leave *model null. Thread
 * safe. */
DRAGOMAN_API dragoman_code dragoman_model_open(const char* path, const dragoman_model_options* options,
                                               dragoman_model** model, dragoman_error* error);

/* The same from memory. `data` is borrowed until dragoman_model_close and must be 64-byte aligned. */
DRAGOMAN_API dragoman_code dragoman_model_open_memory(const void* data, size_t bytes,
                                                      const dragoman_model_options* options, dragoman_model** model,
                                                      dragoman_error* error);

/* Verifies the file at `path` as dragoman_model_open does with these options, but packs no weights and keeps nothing.
 * Errors name the file. Thread safe. */
DRAGOMAN_API dragoman_code dragoman_model_verify(const char* path, const dragoman_model_options* options,
                                                 dragoman_error* error);

/* Releases the model. All its sessions must have been destroyed. Null is allowed. */
DRAGOMAN_API void dragoman_model_close(dragoman_model* model);

/* Facts about an open model; strings live as long as the model, and are never null. */
typedef struct dragoman_model_info {
  const char* name;
  const char* family;
  const char* source_language; /* the only one, or the one taken when a call names none, or "" */
  const char* target_language;
  const char* licence;
  uint32_t source_vocabulary;
  uint32_t target_vocabulary;
  int32_t end_id;
  bool has_shortlist;
  uint64_t file_bytes;
  uint64_t packed_weight_bytes; /* XNNPACK's packed weights, owned by the model */
  size_t num_source_languages;
  size_t num_target_languages;
} dragoman_model_info;
DRAGOMAN_API void dragoman_model_get_info(const dragoman_model* model, dragoman_model_info* info);

typedef enum dragoman_side { DRAGOMAN_SOURCE = 0, DRAGOMAN_TARGET = 1 } dragoman_side;

/* A language of a model; strings live as long as the model and are never null. */
typedef struct dragoman_language {
  const char* code; /* BCP 47 */
  const char* name; /* the model's own code, such as "eng_Latn"; "": it has none */
  int32_t token;    /* id of its token; -1: it has none */
  bool inexact;     /* dragoman_find_language: the name asked for a region that the model does not tell apart */
} dragoman_language;

/* The index-th language of a side, of num_source_languages or num_target_languages. */
DRAGOMAN_API dragoman_code dragoman_get_language(const dragoman_model* model, dragoman_side side, size_t index,
                                                 dragoman_language* language, dragoman_error* error);

/* The language that `name` means to this model: its own code, or a BCP 47 tag in any case, with - or _ and with
 * ISO 639-1 or 639-3 codes ("zh-CN", "zho_Hans", "pt_br"). A script that the model does not have is never replaced by
 * another; a region may be dropped (see inexact). DRAGOMAN_NOT_FOUND lists the languages, as far as they fit. */
DRAGOMAN_API dragoman_code dragoman_find_language(const dragoman_model* model, dragoman_side side, const char* name,
                                                  dragoman_language* language, dragoman_error* error);

/* ---- session ----------------------------------------------------------------------------------------------------- */

/* Element type of the self-attention cache of a decoder that has one. */
typedef enum dragoman_cache_type {
  DRAGOMAN_CACHE_F32 = 0,
  DRAGOMAN_CACHE_F16 = 1,
  DRAGOMAN_CACHE_INT8 = 2 /* keys and values of a position with a scale each */
} dragoman_cache_type;

/* The largest values of options. */
enum {
  DRAGOMAN_MAX_BATCH = 4096,
  DRAGOMAN_MAX_SOURCE_TOKENS = 65536,
  DRAGOMAN_MAX_TARGET_TOKENS = 262144, /* in a model with positions: as many as it has */
  DRAGOMAN_MAX_THREADS = 256,
  DRAGOMAN_MAX_BEAM = 32
};

typedef struct dragoman_session_options {
  uint32_t max_batch;         /* sentences decoded at once; default 1 */
  uint32_t max_source_tokens; /* of one part of a sentence, end token included, at least 2; longer ones are cut; default
                                 256 */
  uint32_t
      max_source_rows; /* source tokens in flight over the whole batch; 0: max_batch x 64, at least max_source_tokens */
  uint32_t threads;    /* inside one operator, at most twice the processors (or 4) are used; default 1 */
  uint32_t max_beam;   /* hypotheses of a sentence at once; 0: what the model's defaults need */
  uint32_t max_n_best; /* of them handed out; default 1 */
  uint32_t max_target_tokens;     /* generated tokens of one part, forced ones counted; 0: what the model's defaults
                                     need */
  bool full_logits;               /* room for all logits: for sampling, constraints and dragoman_score; default false */
  dragoman_cache_type cache_type; /* default DRAGOMAN_CACHE_F32 */
  bool attention; /* room for the attention of every generated id: for `attention` and `coverage_penalty`; default
                     false */
} dragoman_session_options;
DRAGOMAN_API dragoman_session_options dragoman_default_session_options(void);

/* Exact figures, in bytes. */
typedef struct dragoman_memory {
  uint64_t session_block;     /* the block that dragoman_session_create takes */
  uint64_t session_operators; /* XNNPACK's operators of the session */
  uint64_t model_packed;      /* XNNPACK's packed weights, shared by the model's sessions */
} dragoman_memory;

/* What a session with these options will use, before anything is allocated. */
DRAGOMAN_API dragoman_code dragoman_required_memory(const dragoman_model* model,
                                                    const dragoman_session_options* options, dragoman_memory* memory,
                                                    dragoman_error* error);

/* Creates a session in `block` (64-byte aligned, borrowed until destroy) or, when `block` is null, in memory of its
 * own. A block that is too small is refused; the message says how many bytes are needed. */
DRAGOMAN_API dragoman_code dragoman_session_create(const dragoman_model* model, const dragoman_session_options* options,
                                                   void* block, size_t block_bytes, dragoman_session** session,
                                                   dragoman_error* error);
DRAGOMAN_API void dragoman_session_destroy(dragoman_session* session);

/* What the session really uses. A null session uses nothing. */
DRAGOMAN_API void dragoman_session_get_memory(const dragoman_session* session, dragoman_memory* memory);

/* ---- translating ------------------------------------------------------------------------------------------------- */

/* A number that stands for the model's. */
#define DRAGOMAN_MODELS_OWN (-1e30f)

/* The largest penalty and length factor. */
#define DRAGOMAN_MAX_PENALTY 100.0f
#define DRAGOMAN_MAX_LENGTH_FACTOR 1000.0f

typedef enum dragoman_beam_rule {
  DRAGOMAN_BEAM_MODELS_OWN = -1,
  DRAGOMAN_BEAM_MARIAN = 0,      /* a finished hypothesis leaves its place empty; the end comes with the last */
  DRAGOMAN_BEAM_HUGGING_FACE = 1 /* the beam stays full; early_stopping says when it ends */
} dragoman_beam_rule;

typedef enum dragoman_early_stopping {
  DRAGOMAN_STOP_MODELS_OWN = -1,
  DRAGOMAN_STOP_WHEN_UNLIKELY = 0,  /* "false": the best live hypothesis, ended now, would not be among the finished */
  DRAGOMAN_STOP_AT_ONCE = 1,        /* "true": there are as many finished ones as the beam is wide */
  DRAGOMAN_STOP_WHEN_IMPOSSIBLE = 2 /* "never": it could not get among them any more */
} dragoman_early_stopping;

/* Heads of the decoder's attention to the source. */
typedef struct dragoman_attention_head {
  int32_t layer; /* from 0; -1: the last */
  int32_t head;  /* from 0; -1: all of the layer */
} dragoman_attention_head;

typedef struct dragoman_translate_options {
  bool shortlist;              /* use the model's shortlist if it has one; default true */
  bool one_sentence_per_input; /* do not split inputs into sentences; default false */
  float max_length_factor;     /* generated ids <= factor x source ids, if that leaves room for forced ids and one more;
                                  0: the model's */

  /* Searching. What is "the model's" stands in its file. */
  uint32_t beam;          /* hypotheses, 1: greedy, at most the session's max_beam; 0: the model's */
  uint32_t n_best;        /* hypotheses handed out, at most beam and max_n_best; 0: 1. With `sample` the draws */
  float length_penalty;   /* score = (sum of log-probabilities - word_penalty x ids) / ids ^ length_penalty */
  float word_penalty;     /* both within +-DRAGOMAN_MAX_PENALTY, or DRAGOMAN_MODELS_OWN */
  float coverage_penalty; /* 0 to DRAGOMAN_MAX_PENALTY: this times the sum over the source ids of log(min(the attention
                             that the id got, 1)) is added to a hypothesis' rank score (Wu et al. 2016); 0: nothing, the
                             default; needs a session with attention */
  dragoman_beam_rule beam_rule;
  dragoman_early_stopping early_stopping; /* of DRAGOMAN_BEAM_HUGGING_FACE */
  uint32_t max_length; /* generated ids, forced ones and the end token counted, at most what the session has room for;
                          0: the model's */
  int32_t min_length;  /* ids before the end token may come, forced ones not counted; -1: the model's (1 as a rule) */
  int32_t force_end;   /* 1: the last id that fits is the end token; 0: no; -1: the model's */

  /* Constraints. All but forced_ids need a session with full_logits. Arrays are borrowed for the call. */
  const int32_t* forced_ids; /* every translation begins with them, at log-probability 0; null: the model's */
  size_t num_forced_ids;
  const int32_t* suppressed_ids; /* never generated, beside those of the model */
  size_t num_suppressed_ids;
  const int32_t* bad_words; /* sequences that are never generated, each followed by -1, beside those of the model */
  size_t num_bad_words;     /* the -1 counted */
  float repetition_penalty; /* of ids that came before, as in Hugging Face; 1: none; or DRAGOMAN_MODELS_OWN */
  int32_t no_repeat_ngram;  /* no n-gram of this size comes twice; 0: any may; -1: the model's */

  /* Drawing at random; needs a session with full_logits. The same seed and sentence give the same translation,
   * whatever is translated beside it. */
  bool sample;
  float temperature; /* default 1 */
  uint32_t top_k;    /* of the k best; 0: of all */
  float top_p;       /* of the fewest best with this probability together; default 1 */
  float min_p;       /* of those with this share of the best one's probability; default 0 */
  uint64_t seed;

  /* Which source ids a generated id attends to; needs a session with attention. */
  bool attention;                                 /* segments carry attention and alignment; default false */
  const dragoman_attention_head* attention_heads; /* averaged; borrowed for the call; null: the model's, which are all
                                                     heads of the last layer unless its file says otherwise */
  size_t num_attention_heads;

  /* Languages, as dragoman_find_language understands them, borrowed for the call; null: the model's own. A model that
   * translates one pair refuses any other. One with several targets and no default needs the target (for
   * dragoman_translate_ids, whose ids hold what the source needs, it only decides how the translation begins). */
  const char* source_language;
  const char* target_language;
} dragoman_translate_options;
DRAGOMAN_API dragoman_translate_options dragoman_default_translate_options(void);

/* Flags of a result. */
enum {
  DRAGOMAN_CUT = 1,             /* a sentence was longer than the limits and was translated in parts */
  DRAGOMAN_LENGTH_LIMIT = 2,    /* the output reached its maximum length before an end token of its own */
  DRAGOMAN_REPLACED_INVALID = 4 /* invalid UTF-8 was read as U+FFFD */
};

/* One translated sentence (or part of one). Pointers are valid during the call of the sink only. */
typedef struct dragoman_segment {
  size_t input;        /* index of the input it belongs to */
  size_t source_begin; /* byte range of the source in that input */
  size_t source_end;
  const char* text; /* its translation, UTF-8, not terminated */
  size_t text_bytes;
  const char* gap_before; /* white space between the previous sentence (or the start) and this one, as it was */
  size_t gap_before_bytes;
  const int32_t* source_ids; /* as the encoder saw them, end token included */
  size_t num_source_ids;
  const int32_t* ids; /* generated, end token included if it was generated */
  size_t num_ids;
  float score;              /* sum of log-softmax over the allowed ids, end token included */
  uint32_t flags;           /* DRAGOMAN_CUT | ... */
  size_t num_replaced;      /* invalid byte sequences replaced by U+FFFD */
  const float* log_probs;   /* [num_ids] of each id; their sum is the score */
  float rank_score;         /* by which hypotheses are ranked: score with length and word penalty */
  uint32_t hypothesis;      /* 0: the best; a segment comes once for each, best first */
  uint32_t num_hypotheses;  /* may be fewer than n_best when there are no more */
  const float* attention;   /* [num_ids, num_source_ids] if asked for, else null: the decoder's attention from each
                               generated id to each source id, averaged over the heads */
  const int32_t* alignment; /* [num_ids] with attention: index of the source id with the most of it, the first of equal
                               ones */
  const char* source_language; /* codes of the languages it was translated between, or "" */
  const char* target_language;
} dragoman_segment;

/* End of one input. */
typedef struct dragoman_input_end {
  size_t input;
  const char* gap_after; /* white space after the last sentence (or all of a blank input) */
  size_t gap_after_bytes;
  size_t num_segments;
  float score;    /* sum over segments */
  uint32_t flags; /* union over segments */
  size_t num_replaced;
} dragoman_input_end;

/* Receives results in input order, segments of an input in text order. The translation of an input is, for each
 * segment, gap_before then text, and at last gap_after. Return false to cancel. Any member may be null but not all. */
typedef struct dragoman_sink {
  void* user;
  bool (*segment)(void* user, const dragoman_segment* segment);
  bool (*end)(void* user, const dragoman_input_end* end);
} dragoman_sink;

typedef struct dragoman_text {
  const char* data; /* UTF-8, need not be terminated, may hold NUL and invalid bytes */
  size_t bytes;
} dragoman_text;

/* Translates `num_inputs` texts. Special tokens in a text are read as ordinary characters, with one exception: where
 * an OPUS-MT model has several targets and the call names none, a text may begin with its own, as in ">>fra<< Hello".
 * Blocks; allocates nothing; one caller a session at a time. `options` may be null.
 * The call ends at the first failure. Before an input that cannot be read, everything is delivered first; after
 * DRAGOMAN_NUMERICAL or DRAGOMAN_CANCELLED what the sink has received stands, and each input whose `end` was called is
 * complete. The session stays usable. */
DRAGOMAN_API dragoman_code dragoman_translate(dragoman_session* session, const dragoman_text* inputs, size_t num_inputs,
                                              const dragoman_translate_options* options, const dragoman_sink* sink,
                                              dragoman_error* error);

typedef struct dragoman_ids {
  const int32_t* data; /* as the encoder is to see them; nothing is added */
  size_t count;        /* at most max_source_tokens */
} dragoman_ids;

/* The same from source ids; segments carry no source range. An id outside the vocabulary or too many ids is an error.
 */
DRAGOMAN_API dragoman_code dragoman_translate_ids(dragoman_session* session, const dragoman_ids* inputs,
                                                  size_t num_inputs, const dragoman_translate_options* options,
                                                  const dragoman_sink* sink, dragoman_error* error);

/* Scores given translations: segments carry the target's ids, end token included, and their log-probabilities over the
 * whole vocabulary (0 for those with which every translation into the language begins). Each pair is one segment; a
 * text that does not fit is an error. Needs a session with full_logits. Of `options` the length, word and coverage
 * penalty and the attention count; null: the model's, without attention. */
DRAGOMAN_API dragoman_code dragoman_score(dragoman_session* session, const dragoman_text* sources,
                                          const dragoman_text* targets, size_t num_pairs,
                                          const dragoman_translate_options* options, const dragoman_sink* sink,
                                          dragoman_error* error);

/* Convenience: one text into the caller's buffer. *needed gets the size of the whole translation; when it is larger
 * than out_bytes the call returns DRAGOMAN_LIMIT and the first out_bytes bytes. Not terminated. */
DRAGOMAN_API dragoman_code dragoman_translate_text(dragoman_session* session, const char* text, size_t bytes,
                                                   const dragoman_translate_options* options, char* out,
                                                   size_t out_bytes, size_t* needed, dragoman_error* error);

/* ---- tokenizer --------------------------------------------------------------------------------------------------- */

/* Text to ids, no end token. *num_ids gets the number of ids; more than `capacity` is DRAGOMAN_LIMIT. Allocates. */
DRAGOMAN_API dragoman_code dragoman_tokenize(const dragoman_model* model, dragoman_side side, const char* text,
                                             size_t bytes, int32_t* ids, size_t capacity, size_t* num_ids,
                                             dragoman_error* error);

/* Ids to text. *text_bytes gets its size; more than `capacity` is DRAGOMAN_LIMIT. Unknown ids are an error. */
DRAGOMAN_API dragoman_code dragoman_detokenize(const dragoman_model* model, dragoman_side side, const int32_t* ids,
                                               size_t num_ids, char* text, size_t capacity, size_t* text_bytes,
                                               dragoman_error* error);

/* The piece of an id: *piece points into the model, not terminated. */
DRAGOMAN_API dragoman_code dragoman_piece(const dragoman_model* model, dragoman_side side, int32_t id,
                                          const char** piece, size_t* piece_bytes, dragoman_error* error);

/* ---- inspection -------------------------------------------------------------------------------------------------- */

/* Writes a description, NUL-terminated, cut at `capacity`; returns the whole size without the NUL.
 * what: "graph" (programs and values), "memory" (the plan of a session with `options`, byte by byte), "tensors",
 * "languages", "summary". */
DRAGOMAN_API size_t dragoman_describe(const dragoman_model* model, const char* what,
                                      const dragoman_session_options* options, char* text, size_t capacity);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
#endif /* DRAGOMAN_DRAGOMAN_H_ */
