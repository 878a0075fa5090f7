// A SentencePiece model whose pieces have other ids than their own: sorted into the ids of a model's dictionary.
// Neighbours: hugging_face_vocabulary decides the ids, tokenizer_builder makes tables of the result.
#pragma once

#include <string>
#include <vector>

#include "converter/formats/sentencepiece_model.h"
#include "converter/tokenizer_builder.h"

namespace dragoman::converter {

// One id of the dictionary. A special token is never found in text and leaves no trace in output.
struct DictionaryEntry {
  std::string token;
  bool special = false;
};

// Tables in which id i stands for dictionary[i]. Pieces that the dictionary lacks still take part in segmentation and
// come out as the unknown id; entries that the model lacks are never found in text. The unknown piece's entry,
// `unknown`, is required. kInvalidArgument when it is missing or a token stands twice.
Result<TokenizerData> arrange_pieces(const SentencePieceModel& model, const std::vector<DictionaryEntry>& dictionary,
                                     const std::string& unknown);

}  // namespace dragoman::converter
