// A tokenizer.json as tables that the runtime reads.
// Neighbours: formats/tokenizer_json reads the file, tokenizer_json_rules its components; vocabulary and
// hugging_face_vocabulary ask for the result.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "converter/tokenizer_builder.h"

namespace dragoman::converter {

struct JsonVocabulary {
  TokenizerData data;
  std::vector<int32_t> prefix_ids;   // that its post-processor puts before a text's ids
  std::vector<int32_t> suffix_ids;   // and after them
  std::vector<std::string> control;  // tokens that text never becomes and output never shows
};

// Reads a file. Special added tokens become control pieces, and so does every token for which `is_control` holds.
// kUnsupported names all components and options that cannot be followed exactly; kDamaged what makes no sense.
Result<JsonVocabulary> read_json_tokenizer(std::span<const std::byte> file,
                                           const std::function<bool(const std::string&)>& is_control = {});

}  // namespace dragoman::converter
