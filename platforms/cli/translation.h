// What became of one line: collects the library's segments and repeats a failed batch line by line, so that one bad
// line costs only itself. Neighbours: translate.cc formats the result, bench.cc counts it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/dragoman.hpp"
#include "json_line.h"

namespace dragoman::cli {

// One translation of a sentence.
struct SentenceHypothesis {
  std::string text;
  std::vector<int32_t> ids;  // with the end token
  std::vector<float> log_probs;
  std::vector<int32_t> alignment;  // if asked for, likewise below
  std::vector<float> attention;    // [ids, source ids]
  float score = 0;
  float rank_score = 0;
};

// Where one sentence lies: byte ranges in source and translation, index range in ids. Ends are exclusive.
struct SentenceRange {
  size_t source_begin = 0, source_end = 0;
  size_t target_begin = 0, target_end = 0;
  size_t ids_begin = 0, ids_end = 0;
  std::string gap_before;
  std::vector<int32_t> source_ids;             // with alignment
  std::vector<int32_t> alignment;              // of the best hypothesis: index of the source id of each id
  std::vector<float> attention;                // [ids, source ids]
  std::vector<SentenceHypothesis> hypotheses;  // best first
};

struct Translation {
  std::string text;
  std::vector<int32_t> ids;      // of all sentences, each with its end token
  std::vector<float> log_probs;  // of the ids
  std::vector<SentenceRange> ranges;
  std::string gap_after;
  std::string source_language, target_language;  // codes; empty: the model does not say
  float score = 0;
  uint32_t flags = 0;
  size_t num_replaced = 0;
  std::string error;  // empty: it went well
  bool done = false;
};

// Translates every input; the result has one Translation for each. Never fails as a whole.
std::vector<Translation> translate_texts(Session* session, const std::vector<std::string_view>& inputs,
                                         const TranslateOptions& options);
std::vector<Translation> translate_id_lines(Session* session, const std::vector<std::vector<int32_t>>& inputs,
                                            const TranslateOptions& options);

// What a call without inputs refuses, it refuses for every input.
Error check_options(Session* session, const TranslateOptions& options);
Error check_id_options(Session* session, const TranslateOptions& options);

// What an n-best list shows at `rank`: every sentence's hypothesis of that rank, or its last.
struct RankedTranslation {
  std::string text;
  std::vector<int32_t> ids;
  float score = 0;         // sum of the sentences' rank scores
  std::string alignments;  // "0-0 1-2": source and target token, counted through the sentences, end tokens left out
};
RankedTranslation ranked(const Translation& translation, size_t rank, int32_t end_id);
size_t num_ranks(const Translation& translation);

// "ok", or of "cut", "length_limit", "replaced_invalid:N" those that apply, with commas; "error" if it failed.
std::string status_text(const Translation& translation);

// {text, ids, tokens, score, log_probs, status, source_language, target_language, ranges}, languages where the model
// says them, and `error` if it failed. With several hypotheses each range lists them; ranges hold alignments and, with
// `attention`, the whole matrix.
Json translation_json(const Model& model, const Translation& translation, bool attention);

}  // namespace dragoman::cli
