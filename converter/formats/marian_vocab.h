// A Marian vocabulary in YAML (.vocab.yml): one mapping, token -> id.
// Neighbours: tokenizer_builder turns it into tables; nothing else reads the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

struct MarianVocab {
  std::vector<std::string> tokens;  // tokens[i] has id i
  int32_t end_id = -1;              // "</s>"
  int32_t unknown_id = -1;          // "<unk>"
};

// Tokens are strings whatever they look like (`null`, `007`, `~`), ids are decimal integers. Besides a mapping, a plain
// list of tokens in id order is understood. kDamaged when the text is not such YAML, when ids are not exactly 0 to n-1,
// when a token stands twice, or when "</s>" or "<unk>" is missing; the message names the token or the line.
Result<MarianVocab> read_marian_vocab(std::string_view text);

}  // namespace dragoman::converter
