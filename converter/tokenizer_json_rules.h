// What a tokenizer.json's normalizers, pre-tokenizers and decoders mean, put as the runtime's rules.
// Neighbours: formats/tokenizer_json lists the components, tokenizer_json_tables joins rules and vocabulary.
#pragma once

#include <string>

#include "converter/formats/tokenizer_json.h"
#include "converter/normalization_rules.h"
#include "converter/report.h"

namespace dragoman::converter {

struct TextRules {
  std::string charsmap;          // SentencePiece's compiled map, when nothing else changes characters
  NormalizationRules rules;      // else
  TokenizerTables options;       // the white space rules, word_borders, leading_spaces, raw_bytes; nothing else
  bool prepends_always = false;  // a Prepend normalizer: even before a space
};

// Adds to `problems` every component, option or order of them that cannot be followed exactly, by its path. The rules
// are usable only when there are none. kDamaged for a damaged normalization map.
Result<TextRules> read_text_rules(const TokenizerJson& json, Problems* problems);

}  // namespace dragoman::converter
