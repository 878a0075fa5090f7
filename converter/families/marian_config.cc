// Options of model.yml with Marian's defaults (its config_parser.cpp) and the limits of this converter.
// Neighbours: marian_config.h.
#include "converter/families/marian_config.h"

#include <algorithm>

#include "converter/families/option_reader.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kMaxDepth = 256;
constexpr uint32_t kMaxWidth = 1u << 16;

// Keys that do not touch the network this family builds: other cells and networks, training, bookkeeping.
constexpr const char* kMeaningless[] = {
    "bert-*",
    "dec-cell-base-depth",
    "dec-cell-high-depth",
    "dim-rnn",
    "dim-aan",
    "enc-cell",
    "enc-cell-depth",
    "enc-type",
    "transformer-aan-*",
    "transformer-dim-aan",
    "ulr-*",
    "version",
    "transformer-depth-scaling",
    "lemma-dependency",
    "factors-combine",
    "factors-dim-emb",
    "original-type",
};

std::string read_process(OptionReader& reader, const std::string& key, const std::string& fallback, bool may_add) {
  std::string ops;
  for (const char op : reader.text(key, fallback)) {
    if (op == 'n' || (op == 'a' && may_add)) {
      ops += op;
    } else if (op != 'd') {
      reader.refuse(key,
                    std::string("step '") + op + "' is not supported (" + (may_add ? "d, a, n" : "d, n") + " are)");
    }
  }
  return ops;
}

Activation read_activation(OptionReader& reader) {
  const std::string name = reader.text("transformer-ffn-activation", "swish");
  if (name == "relu") return Activation::kRelu;
  if (name == "swish") return Activation::kSwish;
  if (name == "gelu") return Activation::kGeluSigmoid;  // Marian's gelu is x sigmoid(1.702 x)
  reader.refuse("transformer-ffn-activation", "relu, swish and gelu are supported");
  return Activation::kNone;
}

void read_tying(OptionReader& reader, MarianConfig* config) {
  const bool all = reader.flag("tied-embeddings-all", false);
  const bool inputs = reader.flag("tied-embeddings-src", false);
  const bool output = reader.flag("tied-embeddings", false);
  config->one_input_table = all || inputs;
  config->output_is_target_table = all || output;
}

void read_sizes(OptionReader& reader, MarianConfig* config, Problems* problems) {
  config->width = reader.required_number("dim-emb");
  config->encoder_depth = reader.required_number("enc-depth");
  config->decoder_depth = reader.required_number("dec-depth");
  config->num_heads = reader.number("transformer-heads", 8);
  config->encoder_ffn_width = reader.number("transformer-dim-ffn", 2048);
  config->encoder_ffn_depth = reader.number("transformer-ffn-depth", 2);
  // In newer files 0 means: as the encoder.
  const uint32_t width = reader.number("transformer-decoder-dim-ffn", 0);
  const uint32_t depth = reader.number("transformer-decoder-ffn-depth", 0);
  config->decoder_ffn_width = width == 0 ? config->encoder_ffn_width : width;
  config->decoder_ffn_depth = depth == 0 ? config->encoder_ffn_depth : depth;
  const std::vector<uint32_t> vocabularies = reader.numbers("dim-vocabs");
  if (vocabularies.size() > 2) reader.refuse("dim-vocabs", "one source and one target are supported");
  if (!vocabularies.empty()) {
    config->source_vocabulary = vocabularies.front();
    config->target_vocabulary = vocabularies.back();
  }
  if (!problems->empty()) return;
  if (config->width < 4 || config->width % 2 != 0 || config->width > kMaxWidth) {
    reader.refuse("dim-emb", "expected an even number from 4 to 65536");
  }
  if (config->num_heads == 0 || config->width % config->num_heads != 0) {
    reader.refuse("transformer-heads", "expected a divisor of dim-emb " + std::to_string(config->width));
  }
  if (config->encoder_depth == 0 || config->encoder_depth > kMaxDepth) reader.refuse("enc-depth", "expected 1 to 256");
  if (config->decoder_depth == 0 || config->decoder_depth > kMaxDepth) reader.refuse("dec-depth", "expected 1 to 256");
  for (const uint32_t layers : {config->encoder_ffn_depth, config->decoder_ffn_depth}) {
    if (layers == 0 || layers > kMaxDepth) reader.refuse("transformer-ffn-depth", "expected 1 to 256");
  }
}

void read_decoder_layers(OptionReader& reader, MarianConfig* config) {
  config->decoder_layer_names = reader.numbers("transformer-tied-layers");
  const size_t depth = std::min<size_t>(config->decoder_depth, kMaxDepth);
  if (config->decoder_layer_names.empty()) {
    for (uint32_t i = 0; i < depth; ++i) config->decoder_layer_names.push_back(i + 1);
  }
  if (config->decoder_layer_names.size() != depth) {
    reader.refuse("transformer-tied-layers", "expected one number for each of " + std::to_string(depth) + " layers");
    config->decoder_layer_names.resize(depth, 1);
  }
}

// The file counts layers from 1, or says "last".
int32_t read_alignment_layer(OptionReader& reader, uint32_t depth) {
  const std::string key = "transformer-guided-alignment-layer";
  if (reader.text(key, "last") == "last") return -1;
  const uint32_t layer = reader.number(key, 0);
  if (layer == 0 || layer > depth) {
    reader.refuse(key, "expected 'last' or one of the " + std::to_string(depth) + " decoder layers");
  }
  return static_cast<int32_t>(layer) - 1;
}

void require_defaults(OptionReader& reader) {
  reader.require("type", "transformer", "only transformer is supported");
  reader.require("layer-normalization", "false", "normalization inside the recurrent cell is not supported");
  reader.require("transformer-pool", "false", "pooled attention is not supported");
  reader.require("transformer-rnn-projection", "false", "a projection after the recurrent cell is not supported");
  reader.require("ulr", "false", "universal language representation is not supported");
  reader.require("lemma-dim-emb", "0", "factored vocabularies are not supported");
  reader.require("right-left", "false", "decoding from right to left is not supported");
  reader.require("skip", "false", "skip connections of recurrent models are not supported");
  reader.require("output-approx-knn", "[]", "approximate output search is not supported");
  const std::string autoreg = reader.text("transformer-decoder-autoreg", "self-attention");
  if (autoreg != "rnn" && autoreg != "self-attention") {
    reader.refuse("transformer-decoder-autoreg", "self-attention and rnn (with dec-cell ssru) are supported");
  }
  const std::string cell = reader.text("dec-cell", "gru");
  if (autoreg == "rnn" && cell != "ssru") reader.refuse("dec-cell", "only ssru is supported");
  const std::string inputs = reader.text("input-types", "[]");
  if (inputs != "[]" && inputs != "[sequence, sequence]") reader.refuse("input-types", "only sequences are supported");
}

}  // namespace

std::string MarianConfig::text() const {
  return std::to_string(encoder_depth) + " + " + std::to_string(decoder_depth) + " layers, width " +
         std::to_string(width) + ", " + std::to_string(num_heads) + " heads, feed-forward " +
         std::to_string(encoder_ffn_width);
}

MarianConfig read_marian_config(const Options& options, bool has_position_tensor, Problems* problems) {
  OptionReader reader(options, problems);
  MarianConfig config;
  read_sizes(reader, &config, problems);
  read_decoder_layers(reader, &config);
  config.alignment_layer = read_alignment_layer(reader, config.decoder_depth);
  config.activation = read_activation(reader);
  config.preprocess = read_process(reader, "transformer-preprocess", "", false);
  config.postprocess = read_process(reader, "transformer-postprocess", "dan", true);
  config.postprocess_embedding = read_process(reader, "transformer-postprocess-emb", "d", false);
  config.postprocess_top = read_process(reader, "transformer-postprocess-top", "", true);
  read_tying(reader, &config);
  config.project_attention = !reader.flag("transformer-no-projection", false);
  config.recurrent_decoder = reader.text("transformer-decoder-autoreg", "self-attention") == "rnn";
  config.output_bias = !reader.flag("output-omit-bias", false);
  // Marian's transformer reads the first key; files also carry the second, which without the tensor means nothing.
  const bool trained = reader.flag("transformer-train-positions", false);
  const bool embeddings = reader.flag("transformer-train-position-embeddings", false);
  config.trained_positions = trained || (embeddings && has_position_tensor);
  require_defaults(reader);
  for (const char* key : kMeaningless) reader.ignore(key);
  reader.finish();
  return config;
}

}  // namespace dragoman::converter
