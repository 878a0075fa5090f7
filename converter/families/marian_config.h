// The options of a Marian transformer that change what it computes.
// Neighbours: OptionReader gives the values, marian_tensors follows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "converter/formats/yaml_options.h"
#include "converter/graph/builder.h"
#include "converter/report.h"

namespace dragoman::converter {

// Process strings hold 'a' (add the residual) and 'n' (layer norm) in order; dropout is already taken out.
struct MarianConfig {
  uint32_t width = 0;  // dim-emb
  uint32_t num_heads = 0;
  uint32_t encoder_depth = 0, decoder_depth = 0;
  uint32_t encoder_ffn_width = 0, decoder_ffn_width = 0;
  uint32_t encoder_ffn_depth = 0, decoder_ffn_depth = 0;
  uint32_t source_vocabulary = 0, target_vocabulary = 0;  // 0: whatever the tables hold
  Activation activation = Activation::kSwish;
  std::string preprocess, postprocess, postprocess_embedding, postprocess_top;
  bool one_input_table = false;  // source and target look up one table
  bool output_is_target_table = false;
  bool project_attention = true;   // attention ends in Wo
  bool trained_positions = false;  // Wpos instead of sinusoids, and no sqrt(width) factor
  bool output_bias = true;
  bool recurrent_decoder = false;             // simpler simple recurrent units instead of self-attention
  std::vector<uint32_t> decoder_layer_names;  // number in the tensor names of each decoder layer, from 1
  int32_t alignment_layer = -1;               // decoder layer of guided alignment, from 0; -1: the last

  uint32_t head_width() const { return width / num_heads; }
  // "6 + 2 layers, width 256, 8 heads, feed-forward 1536".
  std::string text() const;
};

// Reads every option, noting what is unsupported or unknown in `problems`. `has_position_tensor`: Wpos is stored.
MarianConfig read_marian_config(const Options& options, bool has_position_tensor, Problems* problems);

}  // namespace dragoman::converter
