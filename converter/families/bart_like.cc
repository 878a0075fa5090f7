// Names as in Hugging Face's BART and the models that grew from it.
// Neighbours: bart_like.h.
#include "converter/families/bart_like.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "converter/families/hugging_face_options.h"
#include "converter/graph/matrix.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kMaxDepth = 256;
constexpr uint32_t kMaxWidth = 1u << 16;
constexpr int64_t kMaxVocabulary = int64_t{1} << 31;
constexpr float kEpsilon = 1e-5f;  // of every layer norm in these models

void check_sizes(OptionReader& reader, const BartConfig& config) {
  if (config.width < 4 || config.width % 2 != 0 || config.width > kMaxWidth) {
    reader.refuse("d_model", "expected an even number from 4 to 65536");
    return;
  }
  const std::string divisor = "expected a divisor of d_model " + std::to_string(config.width);
  if (config.encoder_heads == 0 || config.width % config.encoder_heads != 0) {
    reader.refuse("encoder_attention_heads", divisor);
  }
  if (config.decoder_heads == 0 || config.width % config.decoder_heads != 0) {
    reader.refuse("decoder_attention_heads", divisor);
  }
  if (config.encoder_depth == 0 || config.encoder_depth > kMaxDepth) {
    reader.refuse("encoder_layers", "expected 1 to 256");
  }
  if (config.decoder_depth == 0 || config.decoder_depth > kMaxDepth) {
    reader.refuse("decoder_layers", "expected 1 to 256");
  }
}

// Finds the parts of one model; methods are named after the parts.
class Collector {
 public:
  Collector(TensorReader& reader, const BartConfig& config, const BartNorms& norms, std::string prefix)
      : reader_(reader), config_(config), norms_(norms), prefix_(std::move(prefix)) {}

  NormPart norm(const std::string& name) {
    return {reader_.vector(prefix_ + name + ".weight", config_.width),
            reader_.vector(prefix_ + name + ".bias", config_.width)};
  }

  NormPair sublayer_norm(const std::string& name) {
    NormPair pair;
    (norms_.before ? pair.before : pair.after) = norm(name);
    return pair;
  }

  AffinePart affine(const std::string& name, uint64_t outputs, uint64_t inputs) {
    return {reader_.matrix(prefix_ + name + ".weight", outputs, inputs),
            reader_.optional_vector(prefix_ + name + ".bias", outputs)};
  }

  AttentionPart attention(const std::string& name) {
    const uint64_t width = config_.width;
    AttentionPart part;
    part.query = affine(name + ".q_proj", width, width);
    part.key = affine(name + ".k_proj", width, width);
    part.value = affine(name + ".v_proj", width, width);
    part.output = affine(name + ".out_proj", width, width);
    part.norms = sublayer_norm(name + "_layer_norm");
    return part;
  }

  FeedForwardPart feed_forward(const std::string& layer, uint64_t width) {
    FeedForwardPart part;
    part.layers = {affine(layer + ".fc1", width, config_.width), affine(layer + ".fc2", config_.width, width)};
    part.norms = sublayer_norm(layer + ".final_layer_norm");
    return part;
  }

  void layers(Transformer* model) {
    for (uint32_t i = 0; i < config_.encoder_depth; ++i) {
      const std::string layer = "encoder.layers." + std::to_string(i);
      model->encoder_layers.push_back(
          {attention(layer + ".self_attn"), feed_forward(layer, config_.encoder_ffn_width)});
    }
    for (uint32_t i = 0; i < config_.decoder_depth; ++i) {
      const std::string name = "decoder.layers." + std::to_string(i);
      DecoderLayerPart layer;
      layer.number = i + 1;
      layer.self = attention(name + ".self_attn");
      layer.cross = attention(name + ".encoder_attn");
      layer.feed_forward = feed_forward(name, config_.decoder_ffn_width);
      model->decoder_layers.push_back(std::move(layer));
    }
  }

  void side(const std::string& name, uint32_t heads, TransformerSide* side) {
    side->num_heads = heads;
    side->head_width = config_.width / heads;
    if (norms_.embedding) side->embedding_norm = norm(name + ".layernorm_embedding");
    if (norms_.before) side->top_norm = norm(name + ".layer_norm");
  }

 private:
  TensorReader& reader_;
  const BartConfig& config_;
  const BartNorms& norms_;
  const std::string prefix_;
};

}  // namespace

std::string BartConfig::text() const {
  return std::to_string(encoder_depth) + " + " + std::to_string(decoder_depth) + " layers, width " +
         std::to_string(width) + ", " + std::to_string(encoder_heads) + " heads, feed-forward " +
         std::to_string(encoder_ffn_width);
}

BartConfig read_bart_config(OptionReader& reader, const BartDefaults& defaults, Problems* problems) {
  ignore_common_keys(reader);
  BartConfig config;
  config.width = reader.required_number("d_model");
  config.encoder_depth = reader.required_number("encoder_layers");
  config.decoder_depth = reader.required_number("decoder_layers");
  config.encoder_heads = reader.number("encoder_attention_heads", defaults.heads);
  config.decoder_heads = reader.number("decoder_attention_heads", defaults.heads);
  config.encoder_ffn_width = reader.number("encoder_ffn_dim", defaults.ffn_width);
  config.decoder_ffn_width = reader.number("decoder_ffn_dim", defaults.ffn_width);
  config.max_positions = reader.number("max_position_embeddings", 1024);
  config.scale_embedding = reader.flag("scale_embedding", defaults.scale_embedding);
  config.activation = read_activation(reader, "activation_function", defaults.activation);
  config.tables.source_vocabulary = reader.required_number("vocab_size");
  config.tables.target_vocabulary = config.tables.source_vocabulary;
  config.tables.width = config.width;
  config.tables.tied_output = reader.flag("tie_word_embeddings", true);
  if (reader.has("pad_token_id")) {
    config.pad_id = reader.number("pad_token_id", 0);
    if (config.pad_id >= kMaxVocabulary) reader.refuse("pad_token_id", "expected less than 2147483648");
  }
  if (problems->empty()) check_sizes(reader, config);
  return config;
}

std::string bart_prefix(const Source& source) {
  return source.find("model.encoder.layers.0.fc1.weight") != nullptr ||
                 source.find("encoder.layers.0.fc1.weight") == nullptr
             ? "model."
             : "";
}

Transformer read_bart_tensors(FamilyContext& context, TensorReader& reader, const BartConfig& config,
                              const BartNorms& norms) {
  const std::string prefix = bart_prefix(context.source);
  Transformer model;
  model.width = config.width;
  model.outputs_first = true;
  model.activation = config.activation;
  model.epsilon = kEpsilon;
  if (config.scale_embedding) model.embedding_scale = static_cast<float>(std::sqrt(double{1} * config.width));
  model.preprocess = norms.before ? "n" : "";
  model.postprocess = norms.before ? "a" : "an";
  model.postprocess_embedding = norms.embedding ? "n" : "";
  model.postprocess_top = norms.before ? "n" : "";
  model.max_positions = context.options.max_positions;
  find_tables(context, reader,
              {prefix + "shared.weight", prefix + "encoder.embed_tokens.weight", prefix + "decoder.embed_tokens.weight",
               "lm_head.weight"},
              config.tables, &model);
  model.output_bias = find_output_bias(reader, "final_logits_bias", config.tables.target_vocabulary);
  Collector collector(reader, config, norms, prefix);
  collector.side("encoder", config.encoder_heads, &model.encoder);
  collector.side("decoder", config.decoder_heads, &model.decoder);
  collector.layers(&model);
  return model;
}

std::vector<float> learned_positions(const SourceTensor& table, uint32_t offset, uint32_t positions) {
  const Matrix trained = table_matrix(table);
  const uint64_t width = trained.columns;
  std::vector<float> rows(static_cast<size_t>(positions * width));
  for (uint64_t p = 0; p < positions; ++p) {
    trained.read_float(p + offset, std::span(rows).subspan(static_cast<size_t>(p * width), static_cast<size_t>(width)));
  }
  return rows;
}

}  // namespace dragoman::converter
