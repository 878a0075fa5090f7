// Vocabularies and settings for decoding of a CTranslate2 folder.
// Neighbours: convert.cc stores them; frontends/ctranslate2 reads the token lists.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/families/family.h"
#include "converter/report.h"
#include "converter/source_files.h"
#include "converter/tokenizer_builder.h"

namespace dragoman::schema {
struct GenerationT;
}

namespace dragoman::converter {

struct CTranslate2Text {
  TokenizerData source;
  std::optional<TokenizerData> target;  // absent: the source's serves both sides
  std::vector<std::string> files;       // read
  std::unique_ptr<schema::GenerationT> generation;

  CTranslate2Text();
  CTranslate2Text(CTranslate2Text&&) noexcept;
  ~CTranslate2Text();
};

// SentencePiece models are the named vocabularies, or source.spm and target.spm, or sentencepiece.model in the folder
// or the one above (Argos); their pieces get the ids of the token lists. Without them pieces are words between spaces.
Result<CTranslate2Text> read_ctranslate2_text(const SourceFiles& files, const Source& source, const NetworkFacts& facts,
                                              ConvertReport* report);

}  // namespace dragoman::converter
