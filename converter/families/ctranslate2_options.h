// The scalar variables of a CTranslate2 transformer: what encoder and decoder each say, and where they have to agree.
// Neighbours: ctranslate2_transformer follows them.
#pragma once

#include <cstdint>
#include <string>

#include "converter/families/option_reader.h"
#include "converter/graph/builder.h"

namespace dragoman::converter {

struct CTranslate2Side {
  uint32_t heads = 0;
  bool before = false;  // norms before each sublayer
  Activation activation = Activation::kNone;
  float embedding_scale = 1.0f;
};

struct CTranslate2Options {
  CTranslate2Side encoder, decoder;
  bool scaled_attention = true;  // scores are divided by sqrt(head_width)
  uint32_t max_distance = 0;     // of relative positions in buckets
  double output_scale = 1.0;     // of the state in front of the logits
};

// Reads every option; what is unsupported, unknown or contradicts another one goes to the reader's problems, options
// that switch nothing on to `notes`. `width`: of the network's states.
CTranslate2Options read_ctranslate2_options(OptionReader& reader, const Options& options, uint32_t width,
                                            std::vector<std::string>* notes);

// Goes through config.json, which `reader` gives, and returns the epsilon of the norms, 0 when it does not say. The
// rest is for ctranslate2_text to follow; what changes the computation and is not supported, and unknown keys that
// switch something on, go to the reader's problems, other unknown ones to `notes`.
float read_ctranslate2_config(OptionReader& reader, std::vector<std::string>* notes);

}  // namespace dragoman::converter
