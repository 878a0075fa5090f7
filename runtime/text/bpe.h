// Byte pair encoding: neighbouring symbols are merged, the best-scored pair first, the leftmost of equals.
// Neighbours: called by Tokenizer::encode on normalized text; writes through IdSink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "text/id_sink.h"
#include "text/pair_heap.h"
#include "text/unigram.h"

namespace dragoman::text {

// A character, a user symbol, or what they were merged into: a link of the list of live symbols.
struct BpeSymbol {
  static constexpr uint32_t kNoSymbol = UINT32_MAX;
  uint32_t begin;
  uint32_t bytes;  // 0: merged into its left neighbour
  uint32_t previous;
  uint32_t next;
  uint32_t unit;  // trie unit after its bytes, or DoubleArray::kNone
  bool frozen;    // a user symbol: never merged
};

// Contents irrelevant.
struct BpeScratch {
  std::span<BpeSymbol> symbols;
  std::span<BpePair> pairs;    // twice as many as symbols
  std::span<uint16_t> splits;  // one for each piece when the model has unused pieces, else empty
};

enum class BpeOutcome : uint8_t { kDone, kTooManySymbols, kTooManyIds };

// Merges, ties and the undoing of unused pieces are those of SentencePiece 0.2.3, bpe_model.cc, SampleEncode with alpha
// 0. Where no piece reaches over a space, words are treated one by one: same result, smaller queue. O(n log n) in the
// symbols of the longest such word.
[[nodiscard]] BpeOutcome segment_bpe(const SegmenterContext& context, std::string_view text, const BpeScratch& scratch,
                                     IdSink& sink);

}  // namespace dragoman::text
