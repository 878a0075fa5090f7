// Neighbours: number_vocabulary.h.
#include "converter/number_vocabulary.h"

#include <string>

namespace dragoman::converter {

Result<TokenizerData> number_vocabulary(uint32_t num_ids, int32_t end_id, int32_t unknown_id) {
  MarianVocab vocab;
  vocab.end_id = end_id;
  vocab.unknown_id = unknown_id;
  for (uint32_t id = 0; id < num_ids; ++id) vocab.tokens.push_back(std::to_string(id));
  DRAGOMAN_ASSIGN_OR_RETURN(TokenizerData data, build_tokenizer(vocab));
  data.unknown_surface = std::to_string(unknown_id);
  return data;
}

}  // namespace dragoman::converter
