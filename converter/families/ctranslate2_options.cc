// Names and numbers as in CTranslate2's TransformerSpec.
// Neighbours: ctranslate2_options.h.
#include "converter/families/ctranslate2_options.h"

#include <cmath>

namespace dragoman::converter {
namespace {

constexpr double kMaxDistance = 65536;

Activation activation_of(OptionReader& reader, const std::string& key) {
  switch (reader.number(key, 0)) {
    case 0: return Activation::kRelu;
    case 1: return Activation::kGeluTanh;
    case 2: return Activation::kSwish;
    case 3: return Activation::kGeluErf;
    case 4: return Activation::kGeluSigmoid;
    default: break;
  }
  reader.refuse(key, "0 to 4 are supported: relu, gelu (tanh), swish, gelu, gelu (sigmoid)");
  return Activation::kNone;
}

// A whole number says only whether there is a factor, a real one is the factor.
float embedding_scale(OptionReader& reader, const std::string& key, uint32_t width) {
  const std::string text = reader.text(key, "1");
  if (text == "1") return static_cast<float>(std::sqrt(double{1} * width));
  if (text == "0") return 1.0f;
  return static_cast<float>(reader.real(key, 1.0));
}

CTranslate2Side read_side(OptionReader& reader, const std::string& side, uint32_t width) {
  CTranslate2Side options;
  options.heads = reader.number(side + "/num_heads", 8);
  options.before = reader.number(side + "/pre_norm", 1) != 0;
  options.activation = activation_of(reader, side + "/activation");
  options.embedding_scale = embedding_scale(reader, side + "/scale_embeddings", width);
  for (const char* key : {"/alibi", "/multi_query_attention", "/embeddings_merge"}) {
    reader.require(side + key, "0", "not supported");
  }
  if (options.heads == 0) reader.refuse(side + "/num_heads", "expected at least one");
  for (const char* key : {"/alibi_use_positive_positions", "/alignment_heads", "/alignment_layer", "/scale_alibi",
                          "/start_from_zero_embedding"}) {
    reader.ignore(side + key);
  }
  return options;
}

// The values that every attention has of its own; `fallback` where one has none. They have to be equal.
double common_value(OptionReader& reader, const Options& options, const std::string& ending, double fallback) {
  double common = fallback;
  bool first = true;
  for (const auto& [key, value] : options) {
    if (!key.ends_with(ending)) continue;
    const double number = reader.real(key, fallback);
    if (!first && number != common) reader.refuse(key, "differs from that of another layer");
    common = number;
    first = false;
  }
  return common;
}

}  // namespace

float read_ctranslate2_config(OptionReader& reader, std::vector<std::string>* notes) {
  for (const char* key : {"unk_token", "bos_token", "eos_token", "decoder_start_token"}) reader.ignore(key);
  for (const char* key : {"add_source_bos", "add_source_eos"}) reader.flag(key, false);
  reader.require("multi_query_attention", "false", "not supported");
  reader.require("quantization_type", "0", "only the types of CTranslate2's own quantization are supported");
  const float epsilon = reader.real_within("layer_norm_epsilon", 0, kLeastEpsilon, 1);
  reader.finish(notes);
  return epsilon;
}

CTranslate2Options read_ctranslate2_options(OptionReader& reader, const Options& options, uint32_t width,
                                            std::vector<std::string>* notes) {
  CTranslate2Options result;
  result.encoder = read_side(reader, "encoder", width);
  result.decoder = read_side(reader, "decoder", width);
  if (result.encoder.before != result.decoder.before) reader.refuse("decoder/pre_norm", "differs from the encoder's");
  if (result.encoder.activation != result.decoder.activation) {
    reader.refuse("decoder/activation", "differs from the encoder's");
  }
  if (result.encoder.embedding_scale != result.decoder.embedding_scale) {
    reader.refuse("decoder/scale_embeddings", "differs from the encoder's");
  }
  const double queries = common_value(reader, options, "/queries_scale", 0.0);
  if (queries != 0.0 && queries != 1.0) {
    reader.refuse("encoder/layer_0/self_attention/queries_scale", "only 1 is supported");
  }
  result.scaled_attention = queries == 0.0;
  const double distance = common_value(reader, options, "/relative_attention_max_distance", 0.0);
  const bool fits = distance >= 0 && distance <= kMaxDistance && std::floor(distance) == distance;
  if (!fits) reader.refuse("encoder/layer_0/self_attention/relative_attention_max_distance", "expected 0 to 65536");
  result.max_distance = fits ? static_cast<uint32_t>(distance) : 0;
  // A whole number is a flag that is off, a real one the factor.
  if (reader.text("decoder/scale_outputs", "0") != "0") result.output_scale = reader.real("decoder/scale_outputs", 1.0);
  reader.ignore("spec");
  reader.finish(notes);
  return result;
}

}  // namespace dragoman::converter
