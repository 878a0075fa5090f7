// The vocabulary files of a Hugging Face folder as tokenizer tables.
// Neighbours: conversion_text.cc stores them; formats/ and tokenizer_builder do the reading.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "converter/families/family.h"
#include "converter/report.h"
#include "converter/tokenizer_builder.h"

namespace dragoman::converter {

struct HuggingFaceVocabulary {
  TokenizerData source;
  std::optional<TokenizerData> target;   // absent: the source's serves both sides
  bool has_unknown = true;               // unknown_id stands for unknown text
  std::vector<int32_t> source_prefix;    // ids before a text's, as tokenizer.json or CTranslate2's config.json asks
  std::vector<int32_t> source_suffix;    // and after them; both empty where neither was read, or with languages
  Options tokenizer_config;              // tokenizer_config.json, empty when there is none
  std::vector<int32_t> before_language;  // ids that the vocabulary puts before a language's token
  std::vector<std::string> files;        // read
};

struct VocabularyRequest {
  const std::string& folder;
  const Source& source;
  const NetworkFacts& facts;
  const std::string& named;  // a tokenizer.json that is read whatever the folder holds; empty: none
};

// Looks for source.spm, target.spm and vocab.json (Marian), sentencepiece.bpe.model (NLLB, M2M100, mBART), spiece.model
// (T5), and only then for tokenizer.json; one that lies beside the others is compared with them in size. Beside them
// counts what added_tokens.json and tokenizer_config.json say. Language tokens are control pieces. Without any
// vocabulary the model takes and gives ids as numbers, with a note. Errors name the file.
Result<HuggingFaceVocabulary> read_hugging_face_vocabulary(const VocabularyRequest& request, ConvertReport* report);

// What the pieces make of a text before its last one.
Result<std::vector<int32_t>> ids_before_last(const SentencePieceModel& model, const std::string& text);

}  // namespace dragoman::converter
