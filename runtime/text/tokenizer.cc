// Normalize, segment, done: the journey of one sentence into ids. Scratch is carved anew by every call.
// Neighbours: tokenizer.h; decoding and lookups are in tokenizer_decode.cc.
#include "text/tokenizer.h"

#include <algorithm>

#include "base/arena.h"
#include "text/bpe.h"
#include "text/ranked_bpe.h"
#include "text/simple_segmenters.h"
#include "text/tokenizer_check.h"
#include "text/tokenizer_scratch.h"

namespace dragoman::text {
namespace {

// Whether `piece` holds U+2581 right after something else, or something else right after U+2581.
struct SpacePlaces {
  bool after_other = false;
  bool before_other = false;
};

SpacePlaces find_spaces(std::string_view piece) {
  SpacePlaces places;
  for (size_t at = piece.find(kEscapedSpace); at != std::string_view::npos; at = piece.find(kEscapedSpace, at)) {
    if (at != 0 && !piece.substr(0, at).ends_with(kEscapedSpace)) places.after_other = true;
    at += kEscapedSpace.size();
    if (at != piece.size() && !piece.substr(at).starts_with(kEscapedSpace)) places.before_other = true;
  }
  return places;
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerTables& tables) : tables_(tables), normalizer_(tables), borders_(tables) {
  for (size_t i = 0; i < tables.num_pieces(); ++i) {
    const uint32_t begin = tables.piece_offsets[i];
    const std::string_view piece(tables.piece_bytes.data() + begin, tables.piece_offsets[i + 1] - begin);
    max_piece_bytes_ = std::max(max_piece_bytes_, piece.size());
    has_unused_ = has_unused_ || tables.piece_types[i] == static_cast<uint8_t>(PieceType::kUnused);
    const SpacePlaces places = find_spaces(piece);
    if (places.after_other) cut_before_space_ = false;
    if (places.before_other) cut_after_space_ = false;
  }
}

Result<Tokenizer> Tokenizer::create(const TokenizerTables& tables) {
  DRAGOMAN_RETURN_IF_ERROR(check_tables(tables));
  return Tokenizer(tables);
}

size_t Tokenizer::slot_bytes() const {
  switch (tables_.kind) {
    case TokenizerKind::kUnigram: return kNormalizedPerSlot * (1 + sizeof(PathEnd));
    case TokenizerKind::kBpe: return kNormalizedPerSlot + sizeof(BpeSymbol) + 2 * sizeof(BpePair);
    case TokenizerKind::kSpaceSeparated: return 0;
    case TokenizerKind::kRankedBpe: break;
    case TokenizerKind::kWord:
    case TokenizerKind::kCharacter: return kNormalizedPerSlot;
  }
  // Where bytes are symbols, three may come of one.
  const size_t symbols = tables_.byte_pieces.empty() ? 1 : kNormalizedPerSlot;
  return kNormalizedPerSlot + symbols * (sizeof(RankedSymbol) + 2 * sizeof(RankedPair));
}

std::span<char> Tokenizer::normalized_room(std::span<std::byte> scratch) const {
  if (scratch.size() <= kSlack / 2) return {};
  const size_t slots = std::min((scratch.size() - kSlack / 2) / slot_bytes(), kMaxTextBytes);
  return {reinterpret_cast<char*>(scratch.data()), slots * kNormalizedPerSlot};
}

size_t Tokenizer::scratch_bytes(size_t max_input_bytes) const {
  const size_t slots = std::min(max_input_bytes, kMaxTextBytes) + kExtraSlots;
  const size_t splits = tables_.kind == TokenizerKind::kBpe && has_unused_ ? tables_.num_pieces() : 0;
  return saturating_sum(saturating_product(slots, slot_bytes()), splits * sizeof(uint16_t), kSlack);
}

SegmenterContext Tokenizer::context() const {
  return {&tables_,
          DoubleArray(tables_.piece_trie),
          DoubleArray(tables_.user_trie),
          max_piece_bytes_,
          cut_before_space_,
          cut_after_space_,
          has_unused_};
}

Status Tokenizer::segment_merges(std::string_view text, std::span<std::byte> scratch, IdSink& sink) const {
  const SegmenterContext context = this->context();
  const bool ranked = tables_.kind == TokenizerKind::kRankedBpe;
  const size_t symbol_bytes =
      ranked ? sizeof(RankedSymbol) + 2 * sizeof(RankedPair) : sizeof(BpeSymbol) + 2 * sizeof(BpePair);
  Arena arena(scratch.data(), scratch.size());
  BpeScratch parts;
  parts.splits = arena.carve<uint16_t>(has_unused_ && !ranked ? tables_.num_pieces() : 0);
  if (arena.failed() || scratch.size() - arena.used() < kSlack) return too_long(text.size());
  const size_t room = std::min((scratch.size() - arena.used() - kSlack / 2) / symbol_bytes, text.size());
  bool fits = false;
  if (ranked) {
    RankedScratch ranked_parts;
    ranked_parts.symbols = arena.carve<RankedSymbol>(room);
    ranked_parts.pairs = arena.carve<RankedPair>(2 * room);
    if (arena.failed()) return too_long(text.size());
    const RankedOutcome outcome = segment_ranked(context, borders_, text, ranked_parts, sink);
    if (outcome == RankedOutcome::kTooManySymbols) return too_long(text.size());
    fits = outcome == RankedOutcome::kDone;
  } else {
    parts.symbols = arena.carve<BpeSymbol>(room);
    parts.pairs = arena.carve<BpePair>(2 * room);
    if (arena.failed()) return too_long(text.size());
    const BpeOutcome outcome = segment_bpe(context, text, parts, sink);
    if (outcome == BpeOutcome::kTooManySymbols) return too_long(text.size());
    fits = outcome == BpeOutcome::kDone;
  }
  return fits ? Status() : too_many_tokens(text.size());
}

Status Tokenizer::segment(std::string_view text, std::span<std::byte> scratch, IdSink& sink) const {
  const SegmenterContext context = this->context();
  Arena arena(scratch.data(), scratch.size());
  bool fits = true;
  if (tables_.kind == TokenizerKind::kUnigram) {
    const std::span<PathEnd> lattice = arena.carve<PathEnd>(text.size() + 1);
    if (arena.failed()) return too_long(text.size());
    fits = segment_unigram(context, text, lattice, sink);
  } else if (tables_.kind == TokenizerKind::kBpe || tables_.kind == TokenizerKind::kRankedBpe) {
    return segment_merges(text, scratch, sink);
  } else if (tables_.kind == TokenizerKind::kWord) {
    fits = segment_words(context, text, sink);
  } else if (tables_.kind == TokenizerKind::kCharacter) {
    fits = segment_characters(context, text, sink);
  } else {
    fits = segment_space_separated(context, text, sink);
  }
  return fits ? Status() : too_many_tokens(text.size());
}

Result<Encoded> Tokenizer::encode(std::string_view text, const EncodeBuffers& buffers) const {
  if (text.size() > kMaxTextBytes) return too_long(text.size());
  if (tables_.in_parts()) return encode_parts(text, buffers);
  const bool verbatim = tables_.kind == TokenizerKind::kSpaceSeparated;
  std::span<std::byte> scratch = aligned(buffers.scratch);
  Encoded encoded{0, text};
  if (!verbatim) {
    const std::span<char> room = normalized_room(scratch);
    size_t bytes = 0;
    if (room.empty() || !normalizer_.normalize(text, room, bytes)) return too_long(text.size());
    encoded.normalized = {room.data(), bytes};
    scratch = aligned(scratch.subspan(bytes));
  }
  const bool wants_source = !buffers.source_begins.empty();
  const std::span<uint32_t> begins =
      buffers.normalized_begins.empty() ? buffers.source_begins : buffers.normalized_begins;
  IdSink sink(tables_, encoded.normalized, buffers.ids, begins);
  DRAGOMAN_RETURN_IF_ERROR(segment(encoded.normalized, scratch, sink));
  encoded.num_ids = sink.size();
  if (wants_source) {
    if (begins.data() != buffers.source_begins.data()) {
      std::copy_n(begins.begin(), encoded.num_ids, buffers.source_begins.begin());
    }
    if (!verbatim) normalizer_.map_to_source(text, buffers.source_begins.first(encoded.num_ids));
  }
  return encoded;
}

}  // namespace dragoman::text
