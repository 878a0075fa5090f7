// The way back: ids to text, and questions about single pieces.
// Neighbours: tokenizer.h; detokenizer.h does the work.
#include <algorithm>

#include "base/buffer_size.h"
#include "text/tokenizer.h"

namespace dragoman::text {
namespace {

Status too_small(size_t bytes) { return Status::error(Code::kLimit, "the decoded text does not fit %zu bytes", bytes); }

}  // namespace

Result<size_t> Tokenizer::decode(std::span<const int32_t> ids, std::span<char> out) const {
  DecodeState state;
  DRAGOMAN_ASSIGN_OR_RETURN(const size_t bytes, decode_some(ids, state, out));
  DRAGOMAN_ASSIGN_OR_RETURN(const size_t rest, decode_end(state, out.subspan(bytes)));
  return bytes + rest;
}

Result<size_t> Tokenizer::decode_some(std::span<const int32_t> ids, DecodeState& state, std::span<char> out) const {
  TextWriter writer(out);
  for (const int32_t id : ids) {
    if (id < 0 || static_cast<uint32_t>(id) >= tables_.num_ids) {
      return Status::error(Code::kInvalidArgument, "id %d: the vocabulary has %u", id, tables_.num_ids);
    }
    decode_id(tables_, id, state, writer);
  }
  if (writer.full()) return too_small(out.size());
  return writer.size();
}

Result<size_t> Tokenizer::decode_end(DecodeState& state, std::span<char> out) const {
  TextWriter writer(out);
  decode_rest(state, writer);
  if (writer.full()) return too_small(out.size());
  return writer.size();
}

size_t Tokenizer::max_decoded_bytes(size_t num_ids) const {
  // A byte may become U+FFFD, 3 bytes; 4 may be pending from before; one more for a space between words.
  const size_t piece = (tables_.raw_bytes ? 3 : 1) * max_piece_bytes_;
  const size_t longest = std::max(std::max(piece, tables_.unknown_surface.size()), size_t{3}) + 1;
  return saturating_product(saturating_sum(num_ids, 4), longest);
}

std::string_view Tokenizer::piece(int32_t id) const {
  if (id < 0 || static_cast<uint32_t>(id) >= tables_.num_ids) return {};
  return piece_text(static_cast<uint32_t>(id));
}

std::string_view Tokenizer::piece_text(uint32_t index) const {
  const uint32_t begin = tables_.piece_offsets[index];
  return {tables_.piece_bytes.data() + begin, tables_.piece_offsets[index + 1] - begin};
}

PieceType Tokenizer::type(int32_t id) const {
  if (id < 0 || static_cast<uint32_t>(id) >= tables_.num_ids) return PieceType::kUnknown;
  return static_cast<PieceType>(tables_.piece_types[static_cast<size_t>(id)]);
}

int32_t Tokenizer::id_of(std::string_view piece) const {
  for (uint32_t id = 0; id < tables_.num_ids; ++id) {
    const PieceType kind = type(static_cast<int32_t>(id));
    const bool reserved = kind == PieceType::kControl || kind == PieceType::kUnknown || kind == PieceType::kByte ||
                          (kind == PieceType::kUser && !tables_.added_tokens.empty());
    if (reserved && this->piece(static_cast<int32_t>(id)) == piece) return static_cast<int32_t>(id);
  }
  const uint32_t found = DoubleArray(tables_.piece_trie).find(piece);
  return found < tables_.num_ids ? static_cast<int32_t>(found) : -1;
}

std::string_view Tokenizer::surface(const Encoded& encoded, std::span<const int32_t> ids,
                                    std::span<const uint32_t> begins, size_t index) const {
  if (ids[index] != tables_.unknown_id) return piece(ids[index]);
  const size_t end = index + 1 < encoded.num_ids ? begins[index + 1] : encoded.normalized.size();
  std::string_view part = encoded.normalized.substr(begins[index], end - begins[index]);
  while (tables_.kind == TokenizerKind::kSpaceSeparated && part.ends_with(' ')) part.remove_suffix(1);
  return part;
}

}  // namespace dragoman::text
