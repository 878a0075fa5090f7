// Options and tensor names that MarianMT, BART, mBART and M2M100 have in common in Hugging Face's form.
// Neighbours: the four families fill in what differs and call transformer_builder.
#pragma once

#include <string>

#include "converter/families/family.h"
#include "converter/families/option_reader.h"
#include "converter/families/tensor_reader.h"
#include "converter/families/tied_tables.h"
#include "converter/families/transformer.h"

namespace dragoman::converter {

// What a family decides before options are read.
struct BartDefaults {
  const char* activation = "gelu";
  bool scale_embedding = false;
  uint32_t heads = 16, ffn_width = 4096;
};

struct BartConfig {
  uint32_t width = 0;
  uint32_t encoder_depth = 0, decoder_depth = 0;
  uint32_t encoder_heads = 0, decoder_heads = 0;
  uint32_t encoder_ffn_width = 0, decoder_ffn_width = 0;
  uint32_t max_positions = 0;  // max_position_embeddings
  int64_t pad_id = -1;         // of config.json: only decoding goes by generation_config.json's
  bool scale_embedding = false;
  Activation activation = Activation::kRelu;
  TableShape tables;

  // "6 + 6 layers, width 512, 8 heads, feed-forward 2048".
  std::string text() const;
};

// Reads the common options and marks those without meaning; the family reads its own and then calls reader.finish.
BartConfig read_bart_config(OptionReader& reader, const BartDefaults& defaults, Problems* problems);

// Where the norms are: names in front of which layer norms stand.
struct BartNorms {
  bool before = false;     // each sublayer normalizes its input, and the last layer's result is normalized
  bool embedding = false;  // embeddings are normalized
};

// Prefix of all names but the output's: "model." or none.
std::string bart_prefix(const Source& source);

// Layers, norms and tables of `config`; positions are the family's to set.
Transformer read_bart_tensors(FamilyContext& context, TensorReader& reader, const BartConfig& config,
                              const BartNorms& norms);

// Rows of a trained position table [positions + offset, width] that real tokens use.
std::vector<float> learned_positions(const SourceTensor& table, uint32_t offset, uint32_t positions);

}  // namespace dragoman::converter
