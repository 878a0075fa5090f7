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

  size_t num_pieces() const { return piece_offsets.empty() ? 0 : piece_offsets.size() - 1; }
};

}  // namespace dragoman
