// The trained tensors of a Marian transformer with SSRU decoder, found by name and checked for shape.
// Neighbours: TensorReader finds them, marian_ssru builds the graph from them.
#pragma once

#include <string>
#include <vector>

#include "converter/families/marian_config.h"
#include "converter/families/tensor_reader.h"

namespace dragoman::converter {

// All tensors are borrowed from the source. Norms are null where the process strings have no 'n'.
struct MarianNorm {
  const SourceTensor* scale = nullptr;
  const SourceTensor* bias = nullptr;
};

// y = x W + b, W [inputs, outputs].
struct MarianAffine {
  const SourceTensor* weight = nullptr;
  const SourceTensor* bias = nullptr;  // null: none
};

// A sublayer's norms: before (transformer-preprocess) and after (transformer-postprocess).
struct MarianNorms {
  MarianNorm before, after;
};

struct MarianAttention {
  MarianAffine query, key, value, output;  // output is empty without projection
  MarianNorms norms;
};

struct MarianFeedForward {
  std::vector<MarianAffine> layers;
  MarianNorms norms;
};

struct MarianSsruCell {
  MarianAffine input, forget;
  MarianNorms norms;
};

struct MarianEncoderLayer {
  MarianAttention attention;
  MarianFeedForward feed_forward;
};

struct MarianDecoderLayer {
  MarianSsruCell cell;
  MarianAttention cross;
  MarianFeedForward feed_forward;
};

struct MarianTensors {
  const SourceTensor* source_table = nullptr;  // [V, d]
  const SourceTensor* target_table = nullptr;
  const SourceTensor* output = nullptr;  // own output weight, null when the target table serves
  bool output_is_table = false;          // output lies [V, d]; otherwise [d, V]
  const SourceTensor* output_bias = nullptr;
  const SourceTensor* positions = nullptr;  // trained positions [P, d]
  MarianNorm source_embedding_norm, target_embedding_norm, encoder_top_norm, decoder_top_norm;
  std::vector<MarianEncoderLayer> encoder;
  std::vector<MarianDecoderLayer> decoder;
};

// Finds every tensor of `config`; what is missing, misshapen or left over goes to `problems`. Only when there are none
// are all pointers of the result set.
MarianTensors read_marian_tensors(const Source& source, const MarianConfig& config, Problems* problems);

}  // namespace dragoman::converter
