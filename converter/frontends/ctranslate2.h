// CTranslate2 folders: model.bin, config.json and vocabulary lists.
// Neighbours: formats/ctranslate2_model reads the weights, families/ctranslate2_transformer gives them meaning.
#pragma once

#include <string>
#include <vector>

#include "converter/formats/source_folder.h"
#include "converter/frontends/source.h"

namespace dragoman::converter {

// Whether the folder holds a CTranslate2 model.bin.
bool is_ctranslate2_folder(const std::string& folder);

// Weights with their scales folded in, under all their names; scalar variables become options, and config.json those
// for decoding, in which an empty decoder_start_token stands for null. A projection that joins queries, keys and values
// (self_attention/linear_0) or keys and values (attention/linear_1) comes as parts named "…[0]", "…[1]" ….
Result<Source> read_ctranslate2_source(const SourceFolder& folder);

// The token lists: shared_vocabulary or source_vocabulary and target_vocabulary, as .json or .txt. `files` are
// those read. The two are equal when one list serves both sides.
struct CTranslate2Tokens {
  std::vector<std::string> source, target;
  bool shared = false;
  std::vector<std::string> files;
};
Result<CTranslate2Tokens> read_ctranslate2_tokens(const SourceFolder& folder);

}  // namespace dragoman::converter
