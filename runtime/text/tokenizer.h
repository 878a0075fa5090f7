// Text to ids and back, over tables that lie in the mapped model: nothing is built or allocated, at load or later.
// Neighbours: the pipeline and the command line call it; normalizer, unigram, bpe, simple_segmenters, detokenizer work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "base/tokenizer_tables.h"
#include "text/detokenizer.h"
#include "text/normalizer.h"
#include "text/unigram.h"
#include "text/word_borders.h"

namespace dragoman::text {

struct Part;        // of part_reader.h
struct PartsState;  // of tokenizer_parts.cc

// Where one encode call writes. `begins` spans are optional: empty, or at least as long as `ids`.
struct EncodeBuffers {
  std::span<std::byte> scratch;  // see Tokenizer::scratch_bytes; any alignment
  std::span<int32_t> ids;
  std::span<uint32_t> normalized_begins;  // where each id begins in the normalized text
  std::span<uint32_t> source_begins;      // where each id begins in the given text, ascending
};

struct Encoded {
  size_t num_ids = 0;
  std::string_view normalized;  // lies in the scratch (or is the text itself): valid until either is reused
};

// Immutable; any number of threads may use one, each with its own scratch. Refers to the tables' arrays. Gives the ids
// of SentencePiece 0.2.3 for the same model, or of Hugging Face tokenizers 0.23 where the tables are of a
// tokenizer.json (TokenizerTables::in_parts); neither a begin nor an end id is added.
class Tokenizer {
 public:
  // Checks the tables (kDamaged names what is wrong, kUnsupported an unknown kind). Linear, no allocation.
  static Result<Tokenizer> create(const TokenizerTables& tables);

  // Scratch with which any text of `max_input_bytes` can be encoded, unless normalization makes it grow more than
  // threefold (only rare ligatures do; a space counts three bytes and is covered). Grows linearly: 39 bytes per input
  // byte for unigram, 59 for BPE, 35 for ranked BPE (99 where a byte can be a symbol), 3 else, plus a constant.
  size_t scratch_bytes(size_t max_input_bytes) const;

  // Any bytes are text; ill-formed UTF-8 becomes U+FFFD, byte by byte. kLimit when ids or scratch do not suffice
  // (then a shorter text will do). Does not allocate. Linear time for unigram, n log n for BPE.
  Result<Encoded> encode(std::string_view text, const EncodeBuffers& buffers) const;

  // The text that id `index` of an encoded text stands for: its piece, or what the unknown id replaced.
  // `begins` are the normalized_begins of that call.
  std::string_view surface(const Encoded& encoded, std::span<const int32_t> ids, std::span<const uint32_t> begins,
                           size_t index) const;

  // Writes the text of `ids` to `out`, returns its size in bytes; max_decoded_bytes() are always enough.
  // kInvalidArgument for an id outside the vocabulary, kLimit when `out` is too small. Control ids are skipped.
  Result<size_t> decode(std::span<const int32_t> ids, std::span<char> out) const;

  // The same in parts: what decode_some calls and a last decode_end write, one after another, equals decode() of all
  // ids. A part never ends inside a character. After an error the state is not to be used again.
  Result<size_t> decode_some(std::span<const int32_t> ids, DecodeState& state, std::span<char> out) const;
  Result<size_t> decode_end(DecodeState& state, std::span<char> out) const;

  size_t max_decoded_bytes(size_t num_ids) const;

  size_t num_ids() const { return tables_.num_ids; }
  int32_t unknown_id() const { return tables_.unknown_id; }
  int32_t begin_id() const { return tables_.begin_id; }
  int32_t end_id() const { return tables_.end_id; }
  int32_t pad_id() const { return tables_.pad_id; }

  // Piece of an id as the model spells it; empty for an id outside the vocabulary.
  std::string_view piece(int32_t id) const;
  PieceType type(int32_t id) const;  // kUnknown for an id outside the vocabulary

  // Id of a piece of any type, or -1. Linear for control, byte and unknown pieces.
  int32_t id_of(std::string_view piece) const;

 private:
  explicit Tokenizer(const TokenizerTables& tables);
  Status segment(std::string_view text, std::span<std::byte> scratch, IdSink& sink) const;
  Status segment_merges(std::string_view text, std::span<std::byte> scratch, IdSink& sink) const;
  size_t slot_bytes() const;
  std::span<char> normalized_room(std::span<std::byte> scratch) const;
  Result<Encoded> encode_parts(std::string_view text, const EncodeBuffers& buffers) const;
  Status encode_part(std::string_view text, const Part& part, PartsState& state) const;
  SegmenterContext context() const;
  std::string_view piece_text(uint32_t index) const;  // index < num_pieces()

  TokenizerTables tables_;
  Normalizer normalizer_;
  WordBorderFinder borders_;
  size_t max_piece_bytes_ = 0;
  bool cut_before_space_ = true;
  bool cut_after_space_ = true;
  bool has_unused_ = false;
};

}  // namespace dragoman::text
