// Vocabularies and settings for decoding of a CTranslate2 folder.
// Neighbours: conversion_text.cc stores them; ctranslate2_vocabulary reads the first half.
#pragma once

#include <memory>

#include "converter/families/family.h"
#include "converter/hugging_face_vocabulary.h"
#include "converter/report.h"
#include "converter/source_files.h"

namespace dragoman::schema {
struct GenerationT;
}

namespace dragoman::converter {

struct CTranslate2Text {
  HuggingFaceVocabulary vocabulary;
  std::unique_ptr<schema::GenerationT> generation;
  bool start_is_language = false;  // the decoder starts with the target language's token, and generation has no start

  CTranslate2Text();
  CTranslate2Text(CTranslate2Text&&) noexcept;
  ~CTranslate2Text();
};

// What the folder's lists, its files of pieces and config.json say. Where languages have tokens, `source` gets the
// model_type, encoder_layers and decoder_layers that a Hugging Face folder of that model would name.
Result<CTranslate2Text> read_ctranslate2_text(const SourceFiles& files, const NetworkFacts& facts, Source* source,
                                              ConvertReport* report);

}  // namespace dragoman::converter
