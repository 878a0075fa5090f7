// Best segmentation under a unigram language model: one pass of Viterbi over byte positions.
// Neighbours: called by Tokenizer::encode on normalized text; writes through IdSink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/tokenizer_tables.h"
#include "text/double_array.h"
#include "text/id_sink.h"

namespace dragoman::text {

// The best path that ends at one byte position.
struct PathEnd {
  static constexpr uint32_t kUnreached = UINT32_MAX;
  float score;
  uint32_t start;  // where its last piece begins
  int32_t piece;
};

// What a segmenter needs to know of a model; made once by Tokenizer::create.
struct SegmenterContext {
  const TokenizerTables* tables;
  DoubleArray pieces;
  DoubleArray user_symbols;
  size_t max_piece_bytes;
  bool cut_before_space;  // no piece has U+2581 after something else
  bool cut_after_space;   // no piece has something else after U+2581
  bool has_unused;        // some piece is PieceType::kUnused
};

// `lattice` holds text.size() + 1 entries, contents irrelevant. The sums, their order and the ties (the first path
// found stays) are those of SentencePiece 0.2.3, unigram_model.cc, EncodeOptimized. Time is proportional to
// text.size() * max_piece_bytes. False when the sink is full.
[[nodiscard]] bool segment_unigram(const SegmenterContext& context, std::string_view text, std::span<PathEnd> lattice,
                                   IdSink& sink);

}  // namespace dragoman::text
