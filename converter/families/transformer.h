// A trained transformer encoder-decoder as its families hand it over: tensors found and checked, options decided.
// Neighbours: marian, marian_mt, bart, m2m100, t5 … fill it, transformer_builder turns it into the graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "converter/frontends/source.h"
#include "converter/graph/builder.h"

namespace dragoman::converter {

// All tensors are borrowed from the source. A norm without scale is absent; without bias it does not centre its input.
struct NormPart {
  const SourceTensor* scale = nullptr;
  const SourceTensor* bias = nullptr;
  double factor = 1.0;  // of the result
};

// y = x W + b. Transformer::outputs_first says how W lies.
struct AffinePart {
  const SourceTensor* weight = nullptr;
  const SourceTensor* bias = nullptr;  // null: none
};

// A sublayer's norms: before it and after it.
struct NormPair {
  NormPart before, after;
};

struct AttentionPart {
  AffinePart query, key, value, output;         // output is empty where attention ends without projection
  const SourceTensor* relative_bias = nullptr;  // [buckets, heads]; null: none
  NormPair norms;
};

// layers, one after another, with the activation between them; with a gate the first becomes act(gate x) * (layer x).
struct FeedForwardPart {
  AffinePart gate;
  std::vector<AffinePart> layers;
  NormPair norms;
};

// A simpler simple recurrent unit.
struct SsruPart {
  AffinePart input, forget;
  NormPair norms;
};

struct EncoderLayerPart {
  AttentionPart attention;
  FeedForwardPart feed_forward;
};

// `number` names the layer's tensors, from 1; layers of one number are tied. Either the cell or `self` is set.
struct DecoderLayerPart {
  uint32_t number = 0;
  SsruPart cell;
  AttentionPart self;
  AttentionPart cross;
  FeedForwardPart feed_forward;
};

// What encoder and decoder each have of their own.
struct TransformerSide {
  const SourceTensor* table = nullptr;  // [vocabulary, width]
  std::vector<float> positions;         // [positions, width]; empty: none are added
  uint32_t num_heads = 0;
  uint32_t head_width = 0;
  NormPart embedding_norm, top_norm;

  uint32_t inner_width() const { return num_heads * head_width; }
};

// How relative distances become rows of a bias table (T5).
struct RelativeBuckets {
  uint32_t buckets = 0;
  uint32_t max_distance = 0;
};

// Process strings hold 'a' (add the residual) and 'n' (norm) in order: before a sublayer, after it, on the embedding,
// on the last layer's result.
struct Transformer {
  uint32_t width = 0;
  TransformerSide encoder, decoder;
  std::vector<EncoderLayerPart> encoder_layers;
  std::vector<DecoderLayerPart> decoder_layers;
  std::string preprocess, postprocess, postprocess_embedding, postprocess_top;
  Activation activation = Activation::kRelu;
  float epsilon = 1e-6f;
  float embedding_scale = 1.0f;
  bool scaled_attention = true;  // scores are divided by sqrt(head_width)
  bool outputs_first = false;    // weights lie [outputs, inputs]
  RelativeBuckets buckets;
  const SourceTensor* output = nullptr;  // own output weight; null: the decoder's table serves
  bool output_is_table = false;          // it lies [vocabulary, width]
  const SourceTensor* output_bias = nullptr;
  uint32_t max_positions = 0;  // longest sentence, in tokens, on either side

  bool is_recurrent() const { return !decoder_layers.empty() && decoder_layers.front().cell.input.weight != nullptr; }
};

}  // namespace dragoman::converter
