// Neighbours: detokenizer.h; byte pieces are recognised by tokenizer_check.h.
#include "text/detokenizer.h"

#include <algorithm>

#include "text/normalizer.h"
#include "text/tokenizer_check.h"
#include "text/utf8.h"

namespace dragoman::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

size_t expected_bytes(char lead) {
  const unsigned char byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF8 ? 4 : 1;
}

void write(std::string_view text, DecodeState& state, TextWriter& out) {
  out.put(text);
  state.empty = state.empty && text.empty();
}

// Writes the character that the pending bytes begin with, or U+FFFD for the first of them; where pieces are bytes, for
// as many as could have begun a character.
void take_pending(DecodeState& state, TextWriter& out) {
  const std::string_view bytes(state.pending, state.num_pending);
  const Decoded character = state.raw ? decode_maximal(bytes, 0) : decode_one(bytes, 0);
  write(character.valid ? bytes.substr(0, character.bytes) : kReplacement, state, out);
  for (size_t i = character.bytes; i < bytes.size(); ++i) state.pending[i - character.bytes] = state.pending[i];
  state.num_pending = static_cast<uint8_t>(bytes.size() - character.bytes);
}

void add_byte(char byte, DecodeState& state, TextWriter& out) {
  state.pending[state.num_pending++] = byte;
  while (state.num_pending != 0 && state.num_pending >= expected_bytes(state.pending[0])) take_pending(state, out);
}

void write_unescaped(std::string_view piece, DecodeState& state, TextWriter& out) {
  while (!piece.empty()) {
    const size_t stop = piece.find(kEscapedSpace);
    if (stop == std::string_view::npos) return write(piece, state, out);
    write(piece.substr(0, stop), state, out);
    write(" ", state, out);
    piece.remove_prefix(stop + kEscapedSpace.size());
  }
}

// As LeadingSpaces says, other than kAsEncoded.
void write_by_rule(LeadingSpaces rule, std::string_view piece, DecodeState& state, TextWriter& out) {
  const bool first = state.at_start && !piece.empty();
  if (first) state.at_start = false;
  if (first && rule == LeadingSpaces::kDropOne) {
    if (piece.starts_with(kEscapedSpace)) return write_unescaped(piece.substr(kEscapedSpace.size()), state, out);
    return write_unescaped(piece.substr(piece.starts_with(' ') ? 1 : 0), state, out);
  }
  while (first && rule == LeadingSpaces::kDropFirstPiece && !piece.empty()) {
    const std::string_view part = piece.substr(0, piece.find(kEscapedSpace));
    write(part, state, out);
    piece.remove_prefix(std::min(piece.size(), part.size() + kEscapedSpace.size()));
  }
  write_unescaped(piece, state, out);
}

void write_piece(const TokenizerTables& tables, std::string_view piece, DecodeState& state, TextWriter& out) {
  if (tables.leading_spaces != LeadingSpaces::kAsEncoded) {
    return write_by_rule(tables.leading_spaces, piece, state, out);
  }
  bool dropped_prefix = false;
  if (state.at_start && (tables.add_dummy_prefix || tables.remove_extra_whitespaces)) {
    dropped_prefix = piece.starts_with(kEscapedSpace);
    if (dropped_prefix) piece.remove_prefix(kEscapedSpace.size());
  }
  write_unescaped(piece, state, out);
  // With folding, spaces are dropped until something else was written.
  if ((dropped_prefix && !tables.remove_extra_whitespaces) || !state.empty) state.at_start = false;
}

}  // namespace

void decode_id(const TokenizerTables& tables, int32_t id, DecodeState& state, TextWriter& out) {
  const uint32_t begin = tables.piece_offsets[static_cast<size_t>(id)];
  const uint32_t end = tables.piece_offsets[static_cast<size_t>(id) + 1];
  const std::string_view piece(tables.piece_bytes.data() + begin, end - begin);
  const PieceType type = static_cast<PieceType>(tables.piece_types[static_cast<size_t>(id)]);
  if (type == PieceType::kByte) return add_byte(static_cast<char>(byte_of_piece(piece)), state, out);
  if (tables.raw_bytes && type == PieceType::kNormal) {
    state.raw = true;
    for (const char byte : piece) add_byte(byte, state, out);
    return;
  }
  if (type == PieceType::kControl && tables.leading_spaces != LeadingSpaces::kAsEncoded) return;
  decode_rest(state, out);
  if (!state.empty) state.at_start = false;
  if (type == PieceType::kControl) return;
  const bool unknown = type == PieceType::kUnknown || id == tables.unknown_id;
  if (tables.kind == TokenizerKind::kSpaceSeparated) {
    if (!state.empty) write(" ", state, out);
    return write(unknown ? tables.unknown_surface : piece, state, out);
  }
  if (!unknown) return write_piece(tables, piece, state, out);
  write(tables.unknown_surface, state, out);
  if (!state.empty) state.at_start = false;
}

void decode_rest(DecodeState& state, TextWriter& out) {
  while (state.num_pending != 0) take_pending(state, out);
}

}  // namespace dragoman::text
