// Byte pair encoding by a list of merges: of neighbouring symbols the pair of lowest rank is merged first, the leftmost
// of equals. Each word is merged for itself.
// Neighbours: called by Tokenizer::encode on one normalized part; word_borders.h cuts it, IdSink takes the pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/id_sink.h"
#include "text/merge_table.h"
#include "text/pair_heap.h"
#include "text/unigram.h"
#include "text/word_borders.h"

namespace dragoman::text {

// A piece, or what has none: a link of the list of live symbols.
struct RankedSymbol {
  static constexpr uint32_t kNoSymbol = UINT32_MAX;
  uint32_t bytes;  // 0: merged into its left neighbour
  uint32_t previous;
  uint32_t next;
  uint32_t piece;
};

// Contents irrelevant.
struct RankedScratch {
  std::span<RankedSymbol> symbols;  // as many as a word has bytes are always enough
  std::span<RankedPair> pairs;      // twice as many
};

enum class RankedOutcome : uint8_t { kDone, kTooManySymbols, kTooManyIds };

// Merges, ties and out-of-date entries of the queue are those of Hugging Face tokenizers 0.23, models/bpe.
// O(n log n) in the symbols of the longest word.
[[nodiscard]] RankedOutcome segment_ranked(const SegmenterContext& context, const WordBorderFinder& borders,
                                           std::string_view part, const RankedScratch& scratch, IdSink& sink);

}  // namespace dragoman::text
