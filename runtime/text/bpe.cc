// Symbols in a linked list, possible merges in a heap, both in the caller's scratch.
// Neighbours: bpe.h; user symbols are matched by simple_segmenters.h.
#include "text/bpe.h"

#include <algorithm>
#include <cstring>

#include "text/character_length.h"
#include "text/normalizer.h"
#include "text/simple_segmenters.h"

namespace dragoman::text {
namespace {

// The reference undoes no more than this many merges inside one another.
constexpr int kMaxUndoDepth = 100;

// Orders floats as their sign-magnitude bits do (so -0 < +0), then the smaller left index first.
uint64_t make_priority(float score, uint32_t left) {
  uint32_t bits;
  std::memcpy(&bits, &score, sizeof(bits));
  const uint32_t ordered = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return static_cast<uint64_t>(ordered) << 32 | static_cast<uint32_t>(~left);
}

uint32_t left_of(const BpePair& pair) { return ~static_cast<uint32_t>(pair.priority); }

// One run of the algorithm over a stretch of text that no piece reaches out of.
class Merger {
 public:
  Merger(const SegmenterContext& context, std::string_view text, const BpeScratch& scratch)
      : context_(context), text_(text), scratch_(scratch), pairs_(scratch.pairs.data()) {}

  // Adds the next symbol of the stretch; false when the scratch is full.
  bool append(uint32_t begin, uint32_t bytes, bool frozen) {
    if (num_symbols_ == scratch_.symbols.size()) return false;
    const uint32_t index = static_cast<uint32_t>(num_symbols_++);
    const uint32_t unit = context_.pieces.walk(DoubleArray::kRoot, text_.substr(begin, bytes));
    const uint32_t previous = index == 0 ? BpeSymbol::kNoSymbol : index - 1;
    scratch_.symbols[index] = {begin, bytes, previous, BpeSymbol::kNoSymbol, unit, frozen};
    if (index != 0) scratch_.symbols[previous].next = index;
    return true;
  }

  // Merges until nothing is left to merge, and hands the symbols on.
  bool finish(IdSink& sink) {
    for (uint32_t left = 0; left + 1 < num_symbols_; ++left) consider(left, left + 1);
    pairs_.arrange();
    arranged_ = true;
    while (!pairs_.empty()) merge(pairs_.pop());
    for (uint32_t i = num_symbols_ == 0 ? BpeSymbol::kNoSymbol : 0; i != BpeSymbol::kNoSymbol;) {
      const BpeSymbol& symbol = scratch_.symbols[i];
      if (!hand_on(symbol, sink)) return false;
      i = symbol.next;
    }
    num_symbols_ = 0;
    arranged_ = false;
    return true;
  }

  size_t num_symbols() const { return num_symbols_; }

 private:
  // Queues the merge of two neighbours when it makes a piece. Every merge removes one pair and adds at most two, and
  // there are fewer merges than symbols: the queue cannot outgrow its scratch.
  void consider(uint32_t left, uint32_t right) {
    if (left == BpeSymbol::kNoSymbol || right == BpeSymbol::kNoSymbol) return;
    const BpeSymbol& a = scratch_.symbols[left];
    const BpeSymbol& b = scratch_.symbols[right];
    if (a.frozen || b.frozen || a.unit == DoubleArray::kNone) return;
    if (a.bytes + b.bytes > context_.max_piece_bytes) return;  // a damaged trie might know longer ones
    const uint32_t unit = context_.pieces.walk(a.unit, text_.substr(b.begin, b.bytes));
    if (unit == DoubleArray::kNone) return;
    const uint32_t piece = context_.pieces.value(unit);
    if (piece == DoubleArray::kNone) return;
    const BpePair pair = {make_priority(context_.tables->piece_scores[piece], left), right, a.bytes + b.bytes};
    if (arranged_) {
      pairs_.push(pair);
    } else {
      pairs_.append(pair);
    }
    if (is_unused(piece)) scratch_.splits[piece] = static_cast<uint16_t>(a.bytes);
  }

  void merge(const BpePair& pair) {
    const uint32_t left = left_of(pair);
    BpeSymbol& a = scratch_.symbols[left];
    BpeSymbol& b = scratch_.symbols[pair.right];
    if (a.bytes == 0 || b.bytes == 0 || a.bytes + b.bytes != pair.bytes) return;
    a.unit = context_.pieces.walk(a.unit, text_.substr(b.begin, b.bytes));
    a.bytes = pair.bytes;
    a.next = b.next;
    if (b.next != BpeSymbol::kNoSymbol) scratch_.symbols[b.next].previous = left;
    b.bytes = 0;
    consider(a.previous, left);
    consider(left, a.next);
  }

  bool is_unused(uint32_t piece) const {
    return context_.has_unused && context_.tables->piece_types[piece] == static_cast<uint8_t>(PieceType::kUnused);
  }

  bool hand_on(const BpeSymbol& symbol, IdSink& sink) const {
    const uint32_t piece = symbol.unit == DoubleArray::kNone ? DoubleArray::kNone : context_.pieces.value(symbol.unit);
    if (piece == DoubleArray::kNone) return sink.add(symbol.begin, symbol.bytes, context_.tables->unknown_id);
    if (!is_unused(piece)) return sink.add(symbol.begin, symbol.bytes, static_cast<int32_t>(piece));
    return undo(symbol.begin, symbol.bytes, 0, sink);
  }

  // Takes an unused piece apart, as it was last put together anywhere in the text.
  bool undo(uint32_t begin, uint32_t bytes, int depth, IdSink& sink) const {
    const uint32_t piece = context_.pieces.find(text_.substr(begin, bytes));
    if (piece == DoubleArray::kNone) return sink.add(begin, bytes, context_.tables->unknown_id);
    if (depth > kMaxUndoDepth || !is_unused(piece)) return sink.add(begin, bytes, static_cast<int32_t>(piece));
    const uint32_t left = scratch_.splits[piece];
    if (left == 0 || left >= bytes) return sink.add(begin, bytes, context_.tables->unknown_id);
    return undo(begin, left, depth + 1, sink) && undo(begin + left, bytes - left, depth + 1, sink);
  }

  const SegmenterContext& context_;
  std::string_view text_;
  const BpeScratch& scratch_;
  size_t num_symbols_ = 0;
  PairHeap<BpePair> pairs_;
  bool arranged_ = false;
};

// Whether no piece reaches over `at`, the border of a symbol that is (or follows) a space.
bool may_cut(const SegmenterContext& context, bool space_before, bool space_after) {
  if (context.has_unused) return false;  // undoing looks at the whole text
  return (context.cut_before_space && !space_before && space_after) ||
         (context.cut_after_space && space_before && !space_after);
}

}  // namespace

BpeOutcome segment_bpe(const SegmenterContext& context, std::string_view text, const BpeScratch& scratch,
                       IdSink& sink) {
  std::fill(scratch.splits.begin(), scratch.splits.end(), uint16_t{0});
  Merger merger(context, text, scratch);
  bool space_before = false;
  for (size_t at = 0; at < text.size();) {
    const size_t symbol_bytes = match_user_symbol(context, text, at);
    const bool frozen = symbol_bytes != 0;
    const size_t bytes = frozen ? symbol_bytes : character_length(text, at);
    const bool space = text.substr(at, bytes) == kEscapedSpace;
    if (merger.num_symbols() != 0 && may_cut(context, space_before, space) && !merger.finish(sink)) {
      return BpeOutcome::kTooManyIds;
    }
    if (!merger.append(static_cast<uint32_t>(at), static_cast<uint32_t>(bytes), frozen)) {
      return BpeOutcome::kTooManySymbols;
    }
    space_before = space;
    at += bytes;
  }
  return merger.finish(sink) ? BpeOutcome::kDone : BpeOutcome::kTooManyIds;
}

}  // namespace dragoman::text
