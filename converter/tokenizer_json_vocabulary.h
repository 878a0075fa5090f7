// A tokenizer.json as the vocabulary of a Hugging Face folder.
// Neighbours: hugging_face_vocabulary asks when no SentencePiece file is there, or to compare.
#pragma once

#include <string>

#include "converter/frontends/source.h"
#include "converter/hugging_face_vocabulary.h"

namespace dragoman::converter {

inline constexpr char kTokenizerJson[] = "tokenizer.json";

// Both sides' tables and, where no language has a token, the ids around a text. `source` tells the family, which
// decides how the tokens of languages are spelled, all of them control pieces: eng_Latn (NLLB), en_XX (mBART), __en__
// (M2M100), >>en<< (Marian), <2en> (T5: MADLAD). Errors name the file.
Result<HuggingFaceVocabulary> read_tokenizer_json_vocabulary(const std::string& path, const Source& source);

// Notes it when the folder's tokenizer.json, if there is one, has another number of tokens than `vocabulary`, which was
// read from other files.
void compare_with_tokenizer_json(const std::string& folder, const HuggingFaceVocabulary& vocabulary,
                                 ConvertReport* report);

}  // namespace dragoman::converter
