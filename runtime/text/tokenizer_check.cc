// Neighbours: tokenizer_check.h; tries prove their own bounds in double_array.cc.
#include "text/tokenizer_check.h"

#include <cmath>

#include "text/double_array.h"

namespace dragoman::text {
namespace {

Status damaged(const char* what, size_t found, size_t expected) {
  return Status::error(Code::kDamaged, "tokenizer %s: found %zu, expected %zu", what, found, expected);
}

Status check_sizes(const TokenizerTables& tables) {
  if (tables.kind < TokenizerKind::kUnigram || tables.kind > TokenizerKind::kRankedBpe) {
    return Status::error(Code::kUnsupported, "tokenizer kind %d", static_cast<int>(tables.kind));
  }
  const size_t num_pieces = tables.num_pieces();
  if (num_pieces == 0 || num_pieces > kMaxPieces) return damaged("pieces", num_pieces, kMaxPieces);
  if (tables.piece_scores.size() != num_pieces) return damaged("scores", tables.piece_scores.size(), num_pieces);
  if (tables.piece_types.size() != num_pieces) return damaged("types", tables.piece_types.size(), num_pieces);
  if (tables.num_ids == 0 || tables.num_ids > num_pieces) return damaged("ids", tables.num_ids, num_pieces);
  const size_t num_bytes = tables.byte_pieces.size();
  if (num_bytes != 0 && num_bytes != 256) return damaged("byte pieces", num_bytes, 256);
  return Status();
}

Status check_offsets(const TokenizerTables& tables) {
  const std::span<const uint32_t> offsets = tables.piece_offsets;
  if (offsets.front() != 0) return damaged("first piece offset", offsets.front(), 0);
  if (offsets.back() != tables.piece_bytes.size()) {
    return damaged("last piece offset", offsets.back(), tables.piece_bytes.size());
  }
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] <= offsets[i] || offsets[i + 1] - offsets[i] > kMaxPieceBytes) {
      return Status::error(Code::kDamaged, "tokenizer piece %zu: bytes %u to %u, expected 1 to %zu bytes", i,
                           offsets[i], offsets[i + 1], kMaxPieceBytes);
    }
  }
  return Status();
}

Status check_pieces(const TokenizerTables& tables) {
  for (size_t i = 0; i < tables.num_pieces(); ++i) {
    const uint8_t type = tables.piece_types[i];
    if (type < static_cast<uint8_t>(PieceType::kNormal) || type > static_cast<uint8_t>(PieceType::kByte)) {
      return Status::error(Code::kDamaged, "tokenizer piece %zu: type %d", i, type);
    }
    if (tables.kind == TokenizerKind::kUnigram && !std::isfinite(tables.piece_scores[i])) {
      return Status::error(Code::kDamaged, "tokenizer piece %zu: score is not finite", i);
    }
    if (type != static_cast<uint8_t>(PieceType::kByte)) continue;
    const uint32_t begin = tables.piece_offsets[i];
    if (byte_of_piece({tables.piece_bytes.data() + begin, tables.piece_offsets[i + 1] - begin}) < 0) {
      return Status::error(Code::kDamaged, "tokenizer piece %zu: a byte piece, but not of the form <0xNN>", i);
    }
  }
  return Status();
}

Status check_ids(const TokenizerTables& tables) {
  const int64_t num_ids = tables.num_ids;
  const struct {
    const char* name;
    int32_t id;
  } named[] = {{"unknown id", tables.unknown_id},
               {"begin id", tables.begin_id},
               {"end id", tables.end_id},
               {"pad id", tables.pad_id}};
  for (const auto& entry : named) {
    if (entry.id < -1 || entry.id >= num_ids) {
      return Status::error(Code::kDamaged, "tokenizer %s: found %d, ids are 0 to %d", entry.name, entry.id,
                           static_cast<int>(num_ids - 1));
    }
  }
  const bool all_bytes = tables.byte_pieces.size() == 256 && tables.num_ids == tables.num_pieces();
  if (tables.unknown_id < 0 && !all_bytes) {
    return Status::error(Code::kDamaged, "tokenizer: no unknown piece and no byte pieces to replace it");
  }
  for (size_t byte = 0; byte < tables.byte_pieces.size(); ++byte) {
    const uint32_t piece = tables.byte_pieces[byte];
    if (piece >= tables.num_ids) return damaged("piece of a byte", piece, tables.num_ids);
  }
  if (!std::isfinite(tables.unknown_score)) return Status::error(Code::kDamaged, "tokenizer: unknown score not finite");
  return Status();
}

Status check_tries(const TokenizerTables& tables) {
  if (tables.piece_trie.empty()) return damaged("piece trie", 0, 256);
  DRAGOMAN_RETURN_IF_ERROR(DoubleArray(tables.piece_trie).check("tokenizer piece trie", tables.num_pieces()));
  DRAGOMAN_RETURN_IF_ERROR(DoubleArray(tables.user_trie).check("tokenizer user trie", tables.num_pieces()));
  const std::span<const char> replacements = tables.normalizer_bytes;
  if (tables.normalizer_trie.empty() != replacements.empty()) {
    return damaged("normalizer replacements", replacements.size(), tables.normalizer_trie.size());
  }
  if (!replacements.empty() && replacements.back() != '\0') {
    return Status::error(Code::kDamaged, "tokenizer normalizer: replacements do not end in NUL");
  }
  return DoubleArray(tables.normalizer_trie).check("tokenizer normalizer trie", replacements.size());
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

Status check_tables(const TokenizerTables& tables) {
  DRAGOMAN_RETURN_IF_ERROR(check_sizes(tables));
  DRAGOMAN_RETURN_IF_ERROR(check_offsets(tables));
  DRAGOMAN_RETURN_IF_ERROR(check_pieces(tables));
  DRAGOMAN_RETURN_IF_ERROR(check_ids(tables));
  DRAGOMAN_RETURN_IF_ERROR(check_part_tables(tables));
  return check_tries(tables);
}

int byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const int high = hex_digit(piece[3]);
  const int low = hex_digit(piece[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace dragoman::text
