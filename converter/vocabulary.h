// One side's vocabulary file as tokenizer tables, and whether it fits the network's table of embeddings.
// Neighbours: conversion_text.cc stores it; formats/ and tokenizer_builder do the reading.
#pragma once

#include <cstdint>
#include <string>

#include "converter/tokenizer_builder.h"

namespace dragoman::converter {

// Reads `.spm` / `.model` (SentencePiece), `.yml` (Marian) or `.json` (tokenizer.json of Hugging Face tokenizers), told
// apart by the extension. Errors name the file.
Result<TokenizerData> read_vocabulary(const std::string& path);

// Rows that a trainer may add to round a table up; more means that the vocabulary belongs to another model.
inline constexpr uint32_t kMaxPaddingRows = 63;

// The vocabulary of `num_ids` ids read from `path` against a table of `rows` rows; `side` names it in the message.
Status check_vocabulary_size(const std::string& path, const char* side, uint32_t num_ids, uint32_t rows);

}  // namespace dragoman::converter
