// Small SentencePiece models made in code, and ready tokenizers of them.
// Neighbours: the tokenizer tests of this folder; LoadedTokenizer is shared with tests/parity/tokenizer.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "converter/tokenizer_builder.h"
#include "tests/parity/tokenizer/loaded_tokenizer.h"

namespace dragoman::test {

// Pieces 0 to 2 are <unk>, <s>, </s>; white space is escaped and nothing else is done to the text.
inline converter::SentencePieceModel plain_model(TokenizerKind kind,
                                                 std::initializer_list<converter::SentencePiece> pieces) {
  converter::SentencePieceModel model;
  model.kind = kind;
  model.add_dummy_prefix = false;
  model.remove_extra_whitespaces = false;
  model.pieces = {{"<unk>", 0, PieceType::kUnknown}, {"<s>", 0, PieceType::kControl}, {"</s>", 0, PieceType::kControl}};
  model.pieces.insert(model.pieces.end(), pieces);
  return model;
}

inline void add_byte_pieces(converter::SentencePieceModel& model) {
  model.byte_fallback = true;
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    snprintf(name, sizeof(name), "<0x%02X>", byte);
    model.pieces.push_back({name, 0, PieceType::kByte});
  }
}

inline converter::TokenizerData build(const converter::SentencePieceModel& model) {
  auto data = converter::build_tokenizer(model);
  if (!data.ok()) throw std::runtime_error(data.status().message());
  return std::move(data.value());
}

inline LoadedTokenizer make_tokenizer(const converter::SentencePieceModel& model) {
  return LoadedTokenizer(build(model));
}

}  // namespace dragoman::test
