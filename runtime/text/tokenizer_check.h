// Whether a tokenizer's tables make sense: after this, encode and decode need no doubt about any index.
// Neighbours: Tokenizer::create calls it first; the tables come from a file that nobody vouches for.
#pragma once

#include "base/status.h"
#include "base/tokenizer_tables.h"

namespace dragoman::text {

inline constexpr size_t kMaxPieces = size_t{1} << 24;
inline constexpr size_t kMaxPieceBytes = 7999;  // SentencePiece's own limit

// kDamaged with what was found and what was expected. Linear in the tables, no allocation.
Status check_tables(const TokenizerTables& tables);

// The part of it that concerns encoding in parts: merges, added tokens, character classes, rules.
Status check_part_tables(const TokenizerTables& tables);

// The byte that a kByte piece "<0xE2>" stands for, or -1.
int byte_of_piece(std::string_view piece);

}  // namespace dragoman::text
