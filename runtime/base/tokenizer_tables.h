// The arrays of one tokenizer as plain views: what text::Tokenizer reads, wherever they lie.
// Neighbours: model/tokenizer_section fills them from the mapped file, converter/tokenizer_builder from owned vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dragoman {

// How text becomes pieces. Values equal schema TokenizerKind; 1 to 4 are SentencePiece's model types.
enum class TokenizerKind : uint8_t {
  kUnigram = 1,         // best sum of scores
  kBpe = 2,             // best-scored neighbours merged first
  kWord = 3,            // cut before each U+2581
  kCharacter = 4,       // one character or one user symbol each
  kSpaceSeparated = 5,  // words between spaces, looked up whole; no normalization
  kRankedBpe = 6,       // neighbours merged in the order of a list of pairs
};

// What a piece is. Values equal schema PieceType and SentencePiece's own numbers.
enum class PieceType : uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,  // never found in text, invisible when decoded
  kUser = 4,     // found in text before normalization, never split by BPE
  kUnused = 5,   // BPE builds it but takes it apart again; otherwise as if absent
  kByte = 6,     // "<0xE2>": one byte of a character that has no piece
};

// Where the words of kRankedBpe end. Values equal schema WordBorders.
enum class WordBorders : uint8_t {
  kNone = 0,              // the text between added tokens is one word
  kBeforeSpace = 1,       // before each U+2581
  kCharacterClasses = 2,  // between letters, numbers, white space and the rest, a space leading the word after it
};

// What decoding does with spaces at the start of the text. Values equal schema LeadingSpaces.
enum class LeadingSpaces : uint8_t { kAsEncoded = 0, kKeep = 1, kDropOne = 2, kDropFirstPiece = 3 };

// Bits of TokenizerTables::space_rules. "White space" is Unicode's property, "a part" the text between added tokens.
enum SpaceRule : uint32_t {
  kSpacesFold = 1,                // a run of spaces becomes one
  kSpacesTrimStart = 2,           // white space goes at the start of the text
  kSpacesTrimEnd = 4,             // and at its end
  kSpacesTrimOnlySpaces = 8,      // trimming takes U+0020 alone
  kSpacesSplitWords = 16,         // every part is trimmed; a U+2581 that starts a word is that word's space
  kSpacesPrefixUnlessThere = 32,  // no dummy prefix before a space
  kSpacesPrefixFirstOnly = 64,    // a dummy prefix at the start of the text only, not of every part
  kSpacesAsParts = 128,           // no rule of its own: text is taken in parts
};
inline constexpr uint32_t kAllSpaceRules = 255;

// Low byte of an element of added_tokens; the bits above are the piece.
enum AddedToken : uint32_t {
  kAddedTakesSpacesBefore = 1,
  kAddedTakesSpacesAfter = 2,
  kAddedAfterNormalization = 4,  // trimming looks past it
};
inline constexpr uint32_t kAllAddedTokenBits = 7;
inline constexpr size_t kMaxAddedTokenBytes = 256;  // longer ones are never found

// Low byte of an element of character_classes.
enum CharacterClass : uint32_t { kClassOther = 0, kClassLetter = 1, kClassNumber = 2, kClassWhiteSpace = 3 };

// One element of TokenizerTables::merges.
struct RankedMerge {
  uint32_t left;
  uint32_t right;
  uint32_t merged;
};

// Slot in which the search for a merge begins in a table of `mask` + 1 slots; the next ones follow it cyclically.
constexpr uint32_t merge_slot(uint32_t left, uint32_t right, uint32_t mask) {
  const uint64_t mixed = (static_cast<uint64_t>(left) << 32 | right) * 0x9E3779B97F4A7C15u;
  return static_cast<uint32_t>(mixed >> 32) & mask;
}

// Borrowed views; whoever fills them keeps the arrays alive. Nothing here is trusted: text::Tokenizer::create checks it
// all. Tries are double arrays in Darts-clone's unit format (see text/double_array.h), a multiple of 256 units.
struct TokenizerTables {
  TokenizerKind kind = TokenizerKind::kUnigram;

  std::span<const char> piece_bytes;          // all pieces, one after another, not terminated
  std::span<const uint32_t> piece_offsets;    // [pieces + 1] into piece_bytes, ascending
  std::span<const float> piece_scores;        // [pieces] as the search adds or compares them (higher wins)
  std::span<const uint8_t> piece_types;       // [pieces] PieceType
  std::span<const uint32_t> piece_trie;       // piece text -> piece index, of the pieces that text may match
  std::span<const uint32_t> user_trie;        // user symbols -> piece index; may be empty
  std::span<const uint32_t> normalizer_trie;  // source text -> offset in normalizer_bytes; empty: no rules
  std::span<const char> normalizer_bytes;     // NUL-terminated replacements
  std::span<const uint32_t> byte_pieces;      // [256] piece index of each byte; empty: no byte fallback

  std::string_view unknown_surface;  // what decode writes for the unknown piece
  float unknown_score = 0;           // unigram: score of a character without a piece

  // Pieces [num_ids, pieces) take part in segmentation but have no id: they come out as unknown_id.
  uint32_t num_ids = 0;
  int32_t unknown_id = -1;  // -1 only with byte fallback
  int32_t begin_id = -1;    // control pieces; -1: the model has none
  int32_t end_id = -1;
  int32_t pad_id = -1;

  bool add_dummy_prefix = true;          // a space before the text (after it with whitespace_as_suffix)
  bool remove_extra_whitespaces = true;  // at both ends and in runs
  bool escape_whitespaces = true;        // space becomes U+2581
  bool whitespace_as_suffix = false;     // the space belongs to the word before it

  std::span<const uint32_t> merges;             // kRankedBpe: RankedMerge after RankedMerge, best first
  std::span<const uint32_t> merge_slots;        // [2^n] index of a merge + 1, 0: free; at most half of it used
  std::span<const uint32_t> added_tokens;       // piece << 8 | AddedToken bits; found in text before all else
  std::span<const uint32_t> added_trie;         // text -> index in added_tokens
  std::span<const uint32_t> character_classes;  // first code point << 8 | CharacterClass, ascending from 0
  uint32_t space_rules = 0;                     // SpaceRule; not 0: remove_extra_whitespaces has no say
  WordBorders word_borders = WordBorders::kNone;
  LeadingSpaces leading_spaces = LeadingSpaces::kAsEncoded;
  bool raw_bytes = false;     // kRankedBpe: pieces are bytes, byte_pieces the first symbols
  bool whole_words = false;   // kRankedBpe: a word that is a piece is not taken apart
  bool join_unknown = false;  // kRankedBpe: unknown neighbours are one

  // Whether text is cut at added tokens and each part treated for itself.
  bool in_parts() const { return kind == TokenizerKind::kRankedBpe || space_rules != 0 || !added_tokens.empty(); }

  size_t num_pieces() const { return piece_offsets.empty() ? 0 : piece_offsets.size() - 1; }
};

}  // namespace dragoman
