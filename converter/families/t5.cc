// T5, T5 v1.1 (Flan-T5, MADLAD), mT5 and UMT5: root-mean-square norms before each sublayer, no biases, relative
// positions in buckets, unscaled attention. Neighbours: registered in family.cc; transformer_builder builds.
#include "converter/families/t5.h"

#include <algorithm>
#include <cmath>

#include "converter/families/hugging_face_options.h"
#include "converter/families/tensor_reader.h"
#include "converter/families/tied_tables.h"
#include "converter/families/transformer_builder.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kMaxDepth = 256;
constexpr uint32_t kMaxWidth = 1u << 16;
constexpr uint32_t kMaxDistance = 1u << 16;

struct T5Config {
  uint32_t width = 0, key_width = 0, ffn_width = 0, num_heads = 0;
  uint32_t encoder_depth = 0, decoder_depth = 0;
  Activation activation = Activation::kRelu;
  bool gated = false;
  float epsilon = 1e-6f;
  RelativeBuckets buckets;
  TableShape tables;
  bool scaled_output = true;         // logits of hidden * width^-0.5
  bool bias_in_every_layer = false;  // UMT5

  uint32_t inner_width() const { return key_width * num_heads; }
};

void read_feed_forward(OptionReader& reader, const char* fallback, T5Config* config) {
  const std::string name = reader.text("feed_forward_proj", fallback);
  config->gated = name.starts_with("gated-");
  std::string activation = config->gated ? name.substr(6) : name;
  // In this family the name means the tanh form.
  if (config->gated && activation == "gelu") activation = "gelu_new";
  config->activation = activation_of(reader, "feed_forward_proj", activation);
  // Written into newer files; derived from the name above.
  const std::string given = reader.text("dense_act_fn", activation);
  if (given != activation) reader.refuse("dense_act_fn", "contradicts feed_forward_proj");
  if (reader.flag("is_gated_act", config->gated) != config->gated) {
    reader.refuse("is_gated_act", "contradicts feed_forward_proj");
  }
}

void check_sizes(OptionReader& reader, const T5Config& config) {
  if (config.width == 0 || config.width > kMaxWidth) reader.refuse("d_model", "expected 1 to 65536");
  if (config.num_heads == 0 || config.num_heads > kMaxWidth) reader.refuse("num_heads", "expected 1 to 65536");
  if (config.key_width == 0 || config.key_width > kMaxWidth / std::max(config.num_heads, 1u)) {
    reader.refuse("d_kv", "expected 1 to 65536 / num_heads");
  }
  if (config.encoder_depth == 0 || config.encoder_depth > kMaxDepth) reader.refuse("num_layers", "expected 1 to 256");
  if (config.decoder_depth == 0 || config.decoder_depth > kMaxDepth) {
    reader.refuse("num_decoder_layers", "expected 1 to 256");
  }
  if (config.buckets.buckets < 4 || config.buckets.buckets % 2 != 0 || config.buckets.buckets > kMaxDistance) {
    reader.refuse("relative_attention_num_buckets", "expected an even number from 4 to 65536");
  }
  if (config.buckets.max_distance <= config.buckets.buckets / 2 || config.buckets.max_distance > kMaxDistance) {
    reader.refuse("relative_attention_max_distance", "expected more than half of the buckets, at most 65536");
  }
}

T5Config read_config(FamilyContext& context, bool is_umt5) {
  OptionReader reader(context.source.options, &context.problems);
  ignore_common_keys(reader);
  T5Config config;
  config.width = reader.required_number("d_model");
  config.key_width = reader.required_number("d_kv");
  config.ffn_width = reader.required_number("d_ff");
  config.num_heads = reader.required_number("num_heads");
  config.encoder_depth = reader.required_number("num_layers");
  config.decoder_depth = reader.number("num_decoder_layers", config.encoder_depth);
  config.epsilon = reader.real_within("layer_norm_epsilon", 1e-6f, kLeastEpsilon, 1);
  config.buckets.buckets = reader.number("relative_attention_num_buckets", 32);
  config.buckets.max_distance = reader.number("relative_attention_max_distance", 128);
  config.tables.source_vocabulary = reader.required_number("vocab_size");
  config.tables.target_vocabulary = config.tables.source_vocabulary;
  config.tables.width = config.width;
  // T5 is tied unless it says otherwise; its successors are not where they have a weight of their own.
  const bool tied = is_model_type(context.source, "t5") || context.source.find("lm_head.weight") == nullptr;
  config.tables.tied_output = reader.flag("tie_word_embeddings", tied);
  // Newer files say it apart; before, tied meant scaled, in T5 and UMT5 also when no option told. mT5 never scales: its
  // files say untied, or tied because the framework has come to tie all of them.
  const bool scaled = !is_model_type(context.source, "mt5") && reader.flag("tie_word_embeddings", true);
  config.scaled_output = reader.flag("scale_decoder_outputs", scaled);
  config.bias_in_every_layer = is_umt5;
  read_feed_forward(reader, is_model_type(context.source, "t5") ? "relu" : "gated-gelu", &config);
  reader.ignore("n_positions");
  reader.finish(&context.report.notes);
  if (context.problems.empty()) check_sizes(reader, config);
  return config;
}

class Collector {
 public:
  Collector(TensorReader& reader, const T5Config& config) : reader_(reader), config_(config) {}

  NormPart norm(const std::string& name) { return {reader_.vector(name + ".weight", config_.width)}; }

  AffinePart affine(const std::string& name, uint64_t outputs, uint64_t inputs) {
    return {reader_.matrix(name + ".weight", outputs, inputs)};
  }

  // `block`: "encoder.block.0.layer.0"; `bias_block`: the attention whose table of biases serves it, or empty.
  AttentionPart attention(const std::string& block, const std::string& kind, const std::string& bias_block) {
    const std::string name = block + "." + kind;
    const uint64_t inner = config_.inner_width();
    AttentionPart part;
    part.query = affine(name + ".q", inner, config_.width);
    part.key = affine(name + ".k", inner, config_.width);
    part.value = affine(name + ".v", inner, config_.width);
    part.output = affine(name + ".o", config_.width, inner);
    if (!bias_block.empty()) {
      part.relative_bias = reader_.matrix(bias_block + ".SelfAttention.relative_attention_bias.weight",
                                          config_.buckets.buckets, config_.num_heads);
    }
    part.norms.before = norm(block + ".layer_norm");
    return part;
  }

  FeedForwardPart feed_forward(const std::string& block) {
    const std::string name = block + ".DenseReluDense";
    FeedForwardPart part;
    if (config_.gated) part.gate = affine(name + ".wi_0", config_.ffn_width, config_.width);
    part.layers = {affine(name + (config_.gated ? ".wi_1" : ".wi"), config_.ffn_width, config_.width),
                   affine(name + ".wo", config_.width, config_.ffn_width)};
    part.norms.before = norm(block + ".layer_norm");
    return part;
  }

  void layers(Transformer* model) {
    for (uint32_t i = 0; i < config_.encoder_depth; ++i) {
      const std::string block = block_name("encoder", i);
      model->encoder_layers.push_back(
          {attention(block + ".layer.0", "SelfAttention", bias_block("encoder", i)), feed_forward(block + ".layer.1")});
    }
    for (uint32_t i = 0; i < config_.decoder_depth; ++i) {
      const std::string block = block_name("decoder", i);
      DecoderLayerPart layer;
      layer.number = i + 1;
      layer.self = attention(block + ".layer.0", "SelfAttention", bias_block("decoder", i));
      layer.cross = attention(block + ".layer.1", "EncDecAttention", "");
      layer.feed_forward = feed_forward(block + ".layer.2");
      // Early checkpoints hold a table here that was never used.
      reader_.ignore(block + ".layer.1.EncDecAttention.relative_attention_bias.weight");
      model->decoder_layers.push_back(std::move(layer));
    }
  }

 private:
  static std::string block_name(const std::string& side, uint32_t layer) {
    return side + ".block." + std::to_string(layer);
  }
  std::string bias_block(const std::string& side, uint32_t layer) const {
    return block_name(side, config_.bias_in_every_layer ? layer : 0) + ".layer.0";
  }

  TensorReader& reader_;
  const T5Config& config_;
};

Transformer read_tensors(FamilyContext& context, const T5Config& config) {
  TensorReader reader(context.source, &context.problems);
  Collector collector(reader, config);
  Transformer model;
  model.width = config.width;
  model.outputs_first = true;
  model.activation = config.activation;
  model.epsilon = config.epsilon;
  model.preprocess = "n";
  model.postprocess = "a";
  model.postprocess_top = "n";
  model.scaled_attention = false;
  model.buckets = config.buckets;
  model.max_positions = context.options.max_positions;
  find_tables(context, reader,
              {"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"},
              config.tables, &model);
  for (TransformerSide* side : {&model.encoder, &model.decoder}) {
    side->num_heads = config.num_heads;
    side->head_width = config.key_width;
    side->top_norm = collector.norm(side == &model.encoder ? "encoder.final_layer_norm" : "decoder.final_layer_norm");
  }
  // The last norm's gain carries the factor in front of the logits.
  if (config.scaled_output) model.decoder.top_norm.factor = 1.0 / std::sqrt(static_cast<double>(config.width));
  collector.layers(&model);
  reader.finish();
  return model;
}

Result<NetworkFacts> build(FamilyContext& context, bool is_umt5) {
  const T5Config config = read_config(context, is_umt5);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  const Transformer model = read_tensors(context, config);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  context.report.architecture = std::to_string(config.encoder_depth) + " + " + std::to_string(config.decoder_depth) +
                                " layers, width " + std::to_string(config.width) + ", " +
                                std::to_string(config.num_heads) + " heads of " + std::to_string(config.key_width) +
                                ", feed-forward " + std::to_string(config.ffn_width) + (config.gated ? " gated" : "");
  return build_transformer(context, model);
}

}  // namespace

bool accepts_t5(const Source& source) { return is_model_type(source, "t5"); }
bool accepts_mt5(const Source& source) { return is_model_type(source, "mt5"); }
bool accepts_umt5(const Source& source) { return is_model_type(source, "umt5"); }

Result<NetworkFacts> build_t5(FamilyContext& context) { return build(context, false); }
Result<NetworkFacts> build_umt5(FamilyContext& context) { return build(context, true); }

}  // namespace dragoman::converter
