// Neighbours: tokenizer_check.h; merge_table.h, part_reader.h and word_borders.h rely on what is proved here.
#include <algorithm>
#include <bit>

#include "text/double_array.h"
#include "text/tokenizer_check.h"

namespace dragoman::text {
namespace {

// A search through the slots takes no more steps than this, whatever the file says.
constexpr size_t kMaxMergeSteps = 4096;
constexpr uint32_t kMaxClass = kClassWhiteSpace;

Status damaged(const char* what, size_t found, size_t limit) {
  return Status::error(Code::kDamaged, "tokenizer %s: found %zu, limit %zu", what, found, limit);
}

Status check_merges(const TokenizerTables& tables) {
  const size_t num_slots = tables.merge_slots.size();
  const size_t num_merges = tables.merges.size() / 3;
  if (tables.merges.size() % 3 != 0 || num_merges > UINT32_MAX / 4) {
    return damaged("merges", tables.merges.size(), UINT32_MAX / 4);
  }
  if (num_merges == 0 && num_slots == 0) return Status();
  if (!std::has_single_bit(num_slots) || num_slots > UINT32_MAX / 2) {
    return damaged("slots of merges, a power of two", num_slots, UINT32_MAX / 2);
  }
  for (const uint32_t piece : tables.merges) {
    if (piece >= tables.num_pieces()) return damaged("piece of a merge", piece, tables.num_pieces());
  }
  size_t used = 0;
  size_t run = 0;
  for (const uint32_t slot : tables.merge_slots) {
    if (slot > num_merges) return damaged("slot of a merge", slot, num_merges);
    used += slot == 0 ? 0 : 1;
    run = slot == 0 ? 0 : run + 1;
    // A run that reaches over the end is cut in two, so half the limit is allowed on each side.
    if (run > kMaxMergeSteps / 2) return damaged("steps to a merge", run, kMaxMergeSteps / 2);
  }
  if (used == num_slots) return damaged("used slots of merges", used, num_slots - 1);
  return Status();
}

Status check_added_tokens(const TokenizerTables& tables) {
  for (const uint32_t token : tables.added_tokens) {
    if (token >> 8 >= tables.num_ids) return damaged("added token", token >> 8, tables.num_ids);
    if ((token & 255) > kAllAddedTokenBits) return damaged("added token's rules", token & 255, kAllAddedTokenBits);
  }
  if (tables.added_tokens.empty() != tables.added_trie.empty()) {
    return damaged("added trie, units", tables.added_trie.size(), tables.added_tokens.size());
  }
  return DoubleArray(tables.added_trie).check("tokenizer added trie", tables.added_tokens.size());
}

Status check_classes(const TokenizerTables& tables) {
  const std::span<const uint32_t> classes = tables.character_classes;
  const bool needed = tables.word_borders == WordBorders::kCharacterClasses;
  if (classes.empty()) return needed ? damaged("character classes", 0, 1) : Status();
  if (classes.front() >> 8 != 0) return damaged("first code point of the classes", classes.front() >> 8, 0);
  for (size_t i = 0; i < classes.size(); ++i) {
    if ((classes[i] & 255) > kMaxClass) return damaged("character class", classes[i] & 255, kMaxClass);
    if (i != 0 && classes[i] >> 8 <= classes[i - 1] >> 8) return damaged("order of character classes, run", i, i);
  }
  return Status();
}

Status check_rules(const TokenizerTables& tables) {
  if (tables.space_rules > kAllSpaceRules) return damaged("space rules", tables.space_rules, kAllSpaceRules);
  if (tables.word_borders > WordBorders::kCharacterClasses) {
    return damaged("word borders", static_cast<size_t>(tables.word_borders), 2);
  }
  if (tables.leading_spaces > LeadingSpaces::kDropFirstPiece) {
    return damaged("leading spaces", static_cast<size_t>(tables.leading_spaces), 3);
  }
  const bool ranked = tables.kind == TokenizerKind::kRankedBpe;
  if (tables.in_parts() && !ranked && tables.kind != TokenizerKind::kUnigram) {
    return Status::error(Code::kDamaged, "tokenizer: kind %d does not take text in parts",
                         static_cast<int>(tables.kind));
  }
  if (tables.raw_bytes && (!ranked || tables.byte_pieces.size() != 256)) {
    return Status::error(Code::kDamaged, "tokenizer: pieces are bytes, but kind is %d with %zu byte pieces",
                         static_cast<int>(tables.kind), tables.byte_pieces.size());
  }
  return Status();
}

}  // namespace

Status check_part_tables(const TokenizerTables& tables) {
  DRAGOMAN_RETURN_IF_ERROR(check_rules(tables));
  DRAGOMAN_RETURN_IF_ERROR(check_merges(tables));
  DRAGOMAN_RETURN_IF_ERROR(check_added_tokens(tables));
  return check_classes(tables);
}

}  // namespace dragoman::text
