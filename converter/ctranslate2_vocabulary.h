// The vocabulary of a CTranslate2 folder as tokenizer tables: its token lists give the ids, a SentencePiece model or
// tokenizer.json beside them the way from text to tokens.
// Neighbours: ctranslate2_text adds how to decode; frontends/ctranslate2 reads the token lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "converter/frontends/ctranslate2.h"
#include "converter/hugging_face_vocabulary.h"
#include "converter/report.h"
#include "converter/source_files.h"

namespace dragoman::converter {

// Tokens with a meaning of their own.
struct CTranslate2Names {
  std::string unknown, end;
  std::string prefix;  // that every translation begins with; empty: none
};

// The first of that text; -1: none.
int32_t id_of_token(const std::vector<std::string>& tokens, const std::string& token);

// Whether the token only fills a row of the table, as the lists of M2M100 and NLLB models have them at their end.
bool is_filler(const std::string& token);

// SentencePiece models are the named vocabularies, or source.spm and target.spm, or sentencepiece.model in the folder
// or the one above (Argos), or sentencepiece.bpe.model, or spiece.model; without them tokenizer.json; without that,
// tokens are words between spaces, with a note. `source` has a model_type where languages have tokens. Where the file
// is one of Hugging Face's, source_suffix holds what its tokenizers put behind a text. Errors name the file.
Result<HuggingFaceVocabulary> read_ctranslate2_vocabulary(const SourceFiles& files, const Source& source,
                                                          const CTranslate2Tokens& tokens,
                                                          const CTranslate2Names& names, ConvertReport* report);

}  // namespace dragoman::converter
