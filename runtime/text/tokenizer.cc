// Normalize, segment, done: the journey of one sentence into ids. Scratch is carved anew by every call.
// Neighbours: tokenizer.h; decoding and lookups are in tokenizer_decode.cc.
#include "text/tokenizer.h"

#include <algorithm>

#include "base/arena.h"
#include "text/bpe.h"
#include "text/simple_segmenters.h"
#include "text/tokenizer_check.h"

namespace dragoman::text {
namespace {

// A slot is room for one input byte: three bytes of normalized text and what the segmenter keeps for them. A few slots
// more hold the dummy space and the end.
constexpr size_t kExtraSlots = 16;
constexpr size_t kNormalizedPerSlot = 3;
// Alignment of the block and of every part.
constexpr size_t kSlack = 5 * kBufferAlignment;
constexpr size_t kMaxTextBytes = size_t{1} << 29;

size_t slot_bytes(TokenizerKind kind) {
  if (kind == TokenizerKind::kUnigram) return kNormalizedPerSlot * (1 + sizeof(PathEnd));
  if (kind == TokenizerKind::kBpe) return kNormalizedPerSlot + sizeof(BpeSymbol) + 2 * sizeof(BpePair);
  return kind == TokenizerKind::kSpaceSeparated ? 0 : kNormalizedPerSlot;
}

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

std::span<std::byte> aligned(std::span<std::byte> scratch) {
  const size_t misfit = reinterpret_cast<uintptr_t>(scratch.data()) % kBufferAlignment;
  const size_t skip = misfit == 0 ? 0 : kBufferAlignment - misfit;
  return skip < scratch.size() ? scratch.subspan(skip) : std::span<std::byte>();
}

Status too_long(size_t bytes) {
  return Status::error(Code::kLimit, "a text of %zu bytes does not fit the tokenizer's scratch", bytes);
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerTables& tables) : tables_(tables), normalizer_(tables) {
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

size_t Tokenizer::scratch_bytes(size_t max_input_bytes) const {
  const size_t slots = std::min(max_input_bytes, kMaxTextBytes) + kExtraSlots;
  const size_t splits = tables_.kind == TokenizerKind::kBpe && has_unused_ ? tables_.num_pieces() : 0;
  return slots * slot_bytes(tables_.kind) + splits * sizeof(uint16_t) + kSlack;
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

Status Tokenizer::segment(std::string_view text, std::span<std::byte> scratch, IdSink& sink) const {
  const SegmenterContext context = this->context();
  Arena arena(scratch.data(), scratch.size());
  bool fits = true;
  if (tables_.kind == TokenizerKind::kUnigram) {
    const std::span<PathEnd> lattice = arena.carve<PathEnd>(text.size() + 1);
    if (arena.failed()) return too_long(text.size());
    fits = segment_unigram(context, text, lattice, sink);
  } else if (tables_.kind == TokenizerKind::kBpe) {
    BpeScratch parts;
    parts.splits = arena.carve<uint16_t>(has_unused_ ? tables_.num_pieces() : 0);
    if (arena.failed() || scratch.size() - arena.used() < kSlack) return too_long(text.size());
    const size_t room = (scratch.size() - arena.used() - kSlack / 2) / (sizeof(BpeSymbol) + 2 * sizeof(BpePair));
    parts.symbols = arena.carve<BpeSymbol>(std::min(room, text.size()));
    parts.pairs = arena.carve<BpePair>(2 * parts.symbols.size());
    if (arena.failed()) return too_long(text.size());
    const BpeOutcome outcome = segment_bpe(context, text, parts, sink);
    if (outcome == BpeOutcome::kTooManySymbols) return too_long(text.size());
    fits = outcome == BpeOutcome::kDone;
  } else if (tables_.kind == TokenizerKind::kWord) {
    fits = segment_words(context, text, sink);
  } else if (tables_.kind == TokenizerKind::kCharacter) {
    fits = segment_characters(context, text, sink);
  } else {
    fits = segment_space_separated(context, text, sink);
  }
  return fits ? Status() : Status::error(Code::kLimit, "a text of %zu bytes has too many tokens", text.size());
}

Result<Encoded> Tokenizer::encode(std::string_view text, const EncodeBuffers& buffers) const {
  if (text.size() > kMaxTextBytes) return too_long(text.size());
  const bool verbatim = tables_.kind == TokenizerKind::kSpaceSeparated;
  std::span<std::byte> scratch = aligned(buffers.scratch);
  Encoded encoded{0, text};
  if (!verbatim) {
    if (scratch.size() <= kSlack / 2) return too_long(text.size());
    const size_t slots = std::min((scratch.size() - kSlack / 2) / slot_bytes(tables_.kind), kMaxTextBytes);
    const std::span<char> room(reinterpret_cast<char*>(scratch.data()), slots * kNormalizedPerSlot);
    size_t bytes = 0;
    if (!normalizer_.normalize(text, room, bytes)) return too_long(text.size());
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
