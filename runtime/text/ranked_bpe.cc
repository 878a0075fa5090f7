// Symbols in a linked list, possible merges in a heap, both in the caller's scratch.
// Neighbours: ranked_bpe.h; merges are found in merge_table.h.
#include "text/ranked_bpe.h"

#include "text/character_length.h"

namespace dragoman::text {
namespace {

// One run of the algorithm over one word.
class RankedMerger {
 public:
  RankedMerger(const SegmenterContext& context, const RankedScratch& scratch)
      : context_(context), merges_(*context.tables), scratch_(scratch), pairs_(scratch.pairs.data()) {}

  // Takes the word's first symbols: bytes, or characters with what stands for an unknown one. False: no room.
  bool start(std::string_view word) {
    num_symbols_ = 0;
    const TokenizerTables& tables = *context_.tables;
    for (size_t at = 0; at < word.size();) {
      const size_t bytes = tables.raw_bytes ? 1 : character_length(word, at);
      const uint32_t piece = tables.raw_bytes ? tables.byte_pieces[static_cast<unsigned char>(word[at])]
                                              : context_.pieces.find(word.substr(at, bytes));
      const bool known = piece != DoubleArray::kNone;
      if (known ? !append(piece, bytes) : !append_unknown(word.substr(at, bytes))) return false;
      at += bytes;
    }
    return true;
  }

  void merge_all() {
    for (uint32_t left = 0; left + 1 < num_symbols_; ++left) {
      if (const uint32_t rank = rank_of(left, left + 1); rank != MergeTable::kNone) pairs_.append(pair(rank, left));
    }
    pairs_.arrange();
    while (!pairs_.empty()) merge(~pairs_.pop().priority);
  }

  // The pieces of the word, which begins at `begin` of the part.
  bool hand_on(size_t begin, IdSink& sink) const {
    for (uint32_t i = num_symbols_ == 0 ? RankedSymbol::kNoSymbol : 0; i != RankedSymbol::kNoSymbol;) {
      const RankedSymbol& symbol = scratch_.symbols[i];
      if (!sink.add_apart(begin, static_cast<int32_t>(symbol.piece))) return false;
      begin += symbol.bytes;
      i = symbol.next;
    }
    return true;
  }

 private:
  static RankedPair pair(uint32_t rank, uint32_t left) { return {~(static_cast<uint64_t>(rank) << 32 | left)}; }

  bool append(uint32_t piece, size_t bytes) {
    if (num_symbols_ == scratch_.symbols.size()) return false;
    const uint32_t index = num_symbols_++;
    const uint32_t previous = index == 0 ? RankedSymbol::kNoSymbol : index - 1;
    scratch_.symbols[index] = {static_cast<uint32_t>(bytes), previous, RankedSymbol::kNoSymbol, piece};
    if (index != 0) scratch_.symbols[previous].next = index;
    return true;
  }

  bool append_unknown(std::string_view character) {
    const TokenizerTables& tables = *context_.tables;
    if (!tables.byte_pieces.empty()) {
      for (const char byte : character) {
        if (!append(tables.byte_pieces[static_cast<unsigned char>(byte)], 1)) return false;
      }
      return true;
    }
    const uint32_t unknown = static_cast<uint32_t>(tables.unknown_id);
    if (tables.join_unknown && num_symbols_ != 0 && scratch_.symbols[num_symbols_ - 1].piece == unknown) {
      scratch_.symbols[num_symbols_ - 1].bytes += static_cast<uint32_t>(character.size());
      return true;
    }
    return append(unknown, character.size());
  }

  uint32_t rank_of(uint32_t left, uint32_t right) const {
    return merges_.find(scratch_.symbols[left].piece, scratch_.symbols[right].piece);
  }

  void consider(uint32_t left, uint32_t right) {
    if (left == RankedSymbol::kNoSymbol || right == RankedSymbol::kNoSymbol) return;
    // Every merge takes one entry out and puts at most two in: the queue cannot outgrow its scratch.
    if (const uint32_t rank = rank_of(left, right); rank != MergeTable::kNone) pairs_.push(pair(rank, left));
  }

  void merge(uint64_t entry) {
    const uint32_t left = static_cast<uint32_t>(entry);
    const uint32_t merged = merges_.merged(static_cast<uint32_t>(entry >> 32));
    RankedSymbol& a = scratch_.symbols[left];
    if (a.bytes == 0 || a.next == RankedSymbol::kNoSymbol) return;
    RankedSymbol& b = scratch_.symbols[a.next];
    const uint32_t rank = merges_.find(a.piece, b.piece);
    if (rank == MergeTable::kNone || merges_.merged(rank) != merged) return;
    a.piece = merged;
    a.bytes += b.bytes;
    a.next = b.next;
    if (b.next != RankedSymbol::kNoSymbol) scratch_.symbols[b.next].previous = left;
    b.bytes = 0;
    consider(a.previous, left);
    consider(left, a.next);
  }

  const SegmenterContext& context_;
  MergeTable merges_;
  const RankedScratch& scratch_;
  PairHeap<RankedPair> pairs_;
  uint32_t num_symbols_ = 0;
};

}  // namespace

RankedOutcome segment_ranked(const SegmenterContext& context, const WordBorderFinder& borders, std::string_view part,
                             const RankedScratch& scratch, IdSink& sink) {
  RankedMerger merger(context, scratch);
  for (size_t at = 0; at < part.size();) {
    const size_t end = borders.next(part, at);
    const std::string_view word = part.substr(at, end - at);
    const uint32_t whole = context.tables->whole_words ? context.pieces.find(word) : DoubleArray::kNone;
    if (whole != DoubleArray::kNone) {
      if (!sink.add_apart(at, static_cast<int32_t>(whole))) return RankedOutcome::kTooManyIds;
    } else {
      if (!merger.start(word)) return RankedOutcome::kTooManySymbols;
      merger.merge_all();
      if (!merger.hand_on(at, sink)) return RankedOutcome::kTooManyIds;
    }
    at = end;
  }
  return RankedOutcome::kDone;
}

}  // namespace dragoman::text
