// A SentencePiece model file (.spm, .model) as plain fields: the protocol buffer of sentencepiece_model.proto, as far
// as encoding and decoding need it. Neighbours: tokenizer_builder turns it into tables; nothing else reads the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tokenizer_tables.h"

namespace dragoman::converter {

struct SentencePiece {
  std::string text;
  float score = 0;
  PieceType type = PieceType::kNormal;
};

// Defaults are those of the .proto file.
struct SentencePieceModel {
  TokenizerKind kind = TokenizerKind::kUnigram;
  std::vector<SentencePiece> pieces;
  std::string unknown_piece = "<unk>";
  std::string begin_piece = "<s>";
  std::string end_piece = "</s>";
  std::string pad_piece = "<pad>";
  std::string unknown_surface = " \xE2\x81\x87 ";
  std::string normalizer_name;
  std::string precompiled_charsmap;  // <u32 trie bytes><double array><NUL-terminated replacements>; may be empty
  std::string denormalizer_charsmap;
  bool byte_fallback = false;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool whitespace_as_suffix = false;
};

// kDamaged for bytes that are no such protocol buffer, kUnsupported for a model type or piece type that is unknown.
// Unknown fields are skipped. Whether the pieces make sense is build_tokenizer's to say.
Result<SentencePieceModel> read_sentencepiece_model(std::span<const std::byte> file);

}  // namespace dragoman::converter
