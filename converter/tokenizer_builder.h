// From a vocabulary file's contents to the tables that the runtime reads, and from those into a model file.
// Neighbours: formats/ reads the files; the writer stores the blobs; `dragoman tokenize --spm` uses view() directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor_view.h"
#include "base/tokenizer_tables.h"
#include "converter/formats/marian_vocab.h"
#include "converter/formats/sentencepiece_model.h"

namespace dragoman::schema {
struct TokenizerT;
}

namespace dragoman::converter {

// Owns what TokenizerTables refers to; the fields mean the same. Empty vectors stand for absent tables.
struct TokenizerData {
  TokenizerTables options;  // its views stay empty; everything else counts
  std::string piece_bytes;
  std::vector<uint32_t> piece_offsets;
  std::vector<float> piece_scores;
  std::vector<uint8_t> piece_types;
  std::vector<uint32_t> piece_trie;
  std::vector<uint32_t> user_trie;
  std::vector<uint32_t> normalizer_trie;
  std::string normalizer_bytes;
  std::vector<uint32_t> byte_pieces;
  std::string unknown_surface;
  std::vector<uint32_t> merges;
  std::vector<uint32_t> merge_slots;
  std::vector<uint32_t> added_tokens;
  std::vector<uint32_t> added_trie;
  std::vector<uint32_t> character_classes;

  // Valid until this object changes or moves.
  TokenizerTables view() const;
};

// Refuses what SentencePiece 0.2.3 refuses to load (kDamaged, naming the piece), and a denormalizer (kUnsupported).
Result<TokenizerData> build_tokenizer(const SentencePieceModel& model);

// Words between spaces, looked up whole; "</s>" is a control piece, unknown words come out as "<unk>".
Result<TokenizerData> build_tokenizer(const MarianVocab& vocab);

inline constexpr size_t kMaxPieceBytes = 7999;  // SentencePiece's own limit

// The byte that a byte piece "<0xE2>" stands for, or -1.
int byte_of_piece(std::string_view piece);

// Takes SentencePiece's compiled normalization map apart into the normalizer's tables. kDamaged when it is no such map;
// an empty one leaves the tables empty.
Status split_charsmap(const std::string& charsmap, TokenizerData& data);

// Ids of a text; no begin or end id is added. For texts that a conversion itself needs.
Result<std::vector<int32_t>> encode_text(const TokenizerData& data, const std::string& text);

// Stores one array as a tensor of the model file and returns its index.
using AddTensor = std::function<uint32_t(const std::string& name, ElementType type, const std::vector<uint64_t>& shape,
                                         std::span<const std::byte> bytes)>;

// Stores every array (as "<prefix>.pieces", "<prefix>.scores" …) in a fixed order and describes the tokenizer.
void store_tokenizer(const TokenizerData& data, const std::string& prefix, const AddTensor& add_tensor,
                     schema::TokenizerT& out);

}  // namespace dragoman::converter
