// CTranslate2's TransformerSpec as far as MarianMT, OpenNMT, BART, M2M100 and T5 models use it.
// Neighbours: registered in family.cc; ctranslate2_options reads the scalars, transformer_builder builds.
#include "converter/families/ctranslate2_transformer.h"

#include <algorithm>
#include <cmath>

#include "converter/families/bart_like.h"
#include "converter/families/ctranslate2_options.h"
#include "converter/families/tensor_reader.h"
#include "converter/families/tied_tables.h"
#include "converter/families/transformer_builder.h"
#include "converter/graph/positions.h"

namespace dragoman::converter {
namespace {

constexpr float kEpsilon = 1e-5f, kRootMeanSquareEpsilon = 1e-6f;  // unless config.json says otherwise
constexpr uint32_t kMaxDepth = 256;
constexpr uint32_t kMaxBuckets = 1u << 16;

class Collector {
 public:
  Collector(TensorReader& reader, uint32_t width, bool before) : reader_(reader), width_(width), before_(before) {}

  // Without a bias it is a root-mean-square norm.
  NormPart norm(const std::string& name) {
    return {reader_.vector(name + "/gamma", width_), reader_.optional_vector(name + "/beta", width_)};
  }
  NormPart optional_norm(const std::string& name) { return reader_.has(name + "/gamma") ? norm(name) : NormPart(); }

  AffinePart affine(const std::string& name, const std::string& part, uint64_t outputs, uint64_t inputs) {
    return {reader_.matrix(name + "/weight" + part, outputs, inputs),
            reader_.optional_vector(name + "/bias" + part,
                                    outputs == 0 ? reader_.size_of(name + "/bias" + part) : outputs)};
  }

  // `inner`: width of all heads together.
  AttentionPart self_attention(const std::string& layer, uint64_t inner) {
    const std::string name = layer + "/self_attention";
    AttentionPart part;
    part.query = affine(name + "/linear_0", "[0]", inner, width_);
    part.key = affine(name + "/linear_0", "[1]", inner, width_);
    part.value = affine(name + "/linear_0", "[2]", inner, width_);
    part.output = affine(name + "/linear_1", "", width_, inner);
    part.relative_bias = reader_.optional_matrix(name + "/relative_attention_bias", 0, 0);
    place(norm(name + "/layer_norm"), &part.norms);
    return part;
  }

  AttentionPart cross_attention(const std::string& layer, uint64_t inner) {
    const std::string name = layer + "/attention";
    AttentionPart part;
    part.query = affine(name + "/linear_0", "", inner, width_);
    part.key = affine(name + "/linear_1", "[0]", inner, width_);
    part.value = affine(name + "/linear_1", "[1]", inner, width_);
    part.output = affine(name + "/linear_2", "", width_, inner);
    place(norm(name + "/layer_norm"), &part.norms);
    return part;
  }

  // With a linear_0_noact, linear_0 is the gate.
  FeedForwardPart feed_forward(const std::string& layer) {
    const std::string name = layer + "/ffn";
    const bool gated = reader_.has(name + "/linear_0_noact/weight");
    FeedForwardPart part;
    if (gated) part.gate = affine(name + "/linear_0", "", 0, width_);
    part.layers = {affine(name + (gated ? "/linear_0_noact" : "/linear_0"), "", 0, width_),
                   affine(name + "/linear_1", "", width_, 0)};
    place(norm(name + "/layer_norm"), &part.norms);
    return part;
  }

 private:
  void place(const NormPart& norm, NormPair* pair) const { (before_ ? pair->before : pair->after) = norm; }

  TensorReader& reader_;
  const uint32_t width_;
  const bool before_;
};

void read_layers(const Source& source, Collector& collector, Transformer* model) {
  const auto has_layer = [&source](const std::string& layer) {
    return source.find(layer + "/ffn/linear_0/weight") != nullptr;
  };
  for (uint32_t i = 0; i < kMaxDepth && has_layer("encoder/layer_" + std::to_string(i)); ++i) {
    const std::string layer = "encoder/layer_" + std::to_string(i);
    model->encoder_layers.push_back(
        {collector.self_attention(layer, model->encoder.inner_width()), collector.feed_forward(layer)});
  }
  for (uint32_t i = 0; i < kMaxDepth && has_layer("decoder/layer_" + std::to_string(i)); ++i) {
    const std::string name = "decoder/layer_" + std::to_string(i);
    DecoderLayerPart layer;
    layer.number = i + 1;
    layer.self = collector.self_attention(name, model->decoder.inner_width());
    layer.cross = collector.cross_attention(name, model->decoder.inner_width());
    layer.feed_forward = collector.feed_forward(name);
    model->decoder_layers.push_back(std::move(layer));
  }
}

// Heads and norms of one side. The width of all heads is what the queries have.
void read_side(FamilyContext& context, Collector& collector, const std::string& name, uint32_t heads,
               TransformerSide* side, uint32_t width) {
  const SourceTensor* query = context.source.find(name + "/layer_0/self_attention/linear_0/weight[0]");
  const uint64_t inner = query != nullptr && query->shape.size() == 2 ? query->shape[0] : width;
  side->num_heads = heads;
  side->head_width = static_cast<uint32_t>(inner / heads);
  if (inner % heads != 0 || side->head_width == 0) {
    context.problems.add("option '" + name + "/num_heads' = '" + std::to_string(heads) +
                         "': expected a divisor of the heads' width " + std::to_string(inner));
  }
  side->embedding_norm = collector.optional_norm(name + "/layernorm_embedding");
  side->top_norm = collector.optional_norm(name + "/layer_norm");
}

// Stored tables, or none where distances are in buckets, or the sinusoids of OpenNMT, which begin at 1.
void read_positions(TensorReader& reader, Transformer* model) {
  const bool stored[] = {reader.has("encoder/position_encodings/encodings"),
                         reader.has("decoder/position_encodings/encodings")};
  const SourceTensor* tables[2] = {};
  for (const size_t i : {0, 1}) {
    if (!stored[i]) continue;
    tables[i] =
        reader.matrix(std::string(i == 0 ? "encoder" : "decoder") + "/position_encodings/encodings", 0, model->width);
    if (tables[i] == nullptr) return;
    model->max_positions = static_cast<uint32_t>(std::min<uint64_t>(model->max_positions, tables[i]->shape[0]));
  }
  if (model->buckets.buckets > 0 && !stored[0] && !stored[1]) return;
  for (const size_t i : {0, 1}) {
    TransformerSide& side = i == 0 ? model->encoder : model->decoder;
    side.positions = tables[i] != nullptr
                         ? learned_positions(*tables[i], 0, model->max_positions)
                         : sinusoid_table(model->max_positions, model->width, SinusoidStep::kClosed, 1);
  }
}

// Tables of relative biases, if there are any, have one shape and stand in every layer.
void read_buckets(FamilyContext& context, uint32_t max_distance, Transformer* model) {
  const SourceTensor* first = context.source.find("encoder/layer_0/self_attention/relative_attention_bias");
  if (first == nullptr || first->shape.size() != 2) return;
  const uint64_t buckets = first->shape[0];
  if (buckets < 4 || buckets % 2 != 0 || buckets > kMaxBuckets || max_distance <= buckets / 2 ||
      max_distance > kMaxBuckets) {
    context.problems.add("relative positions: " + std::to_string(buckets) + " buckets up to a distance of " +
                         std::to_string(max_distance) + " are not supported");
    return;
  }
  model->buckets = {static_cast<uint32_t>(buckets), max_distance};
}

void check_sides(FamilyContext& context, const Transformer& model) {
  if (model.encoder_layers.empty() || model.decoder_layers.empty()) context.problems.add("no layers found");
  if ((model.encoder.embedding_norm.scale == nullptr) != (model.decoder.embedding_norm.scale == nullptr) ||
      (model.encoder.top_norm.scale == nullptr) != (model.decoder.top_norm.scale == nullptr)) {
    context.problems.add("encoder and decoder differ in their norms");
  }
  const auto check_bias = [&](const AttentionPart& part, uint32_t heads) {
    const SourceTensor* bias = part.relative_bias;
    const bool expected = model.buckets.buckets > 0;
    if ((bias != nullptr) != expected ||
        (expected && (bias->shape[0] != model.buckets.buckets || bias->shape[1] != heads))) {
      context.problems.add("relative_attention_bias differs from layer to layer");
    }
  };
  for (const EncoderLayerPart& layer : model.encoder_layers) check_bias(layer.attention, model.encoder.num_heads);
  for (const DecoderLayerPart& layer : model.decoder_layers) check_bias(layer.self, model.decoder.num_heads);
}

float usual_epsilon(const Transformer& model) {
  return model.encoder.top_norm.scale != nullptr && model.encoder.top_norm.bias == nullptr ? kRootMeanSquareEpsilon
                                                                                           : kEpsilon;
}

Transformer settings_of(FamilyContext& context, const CTranslate2Options& options, uint32_t width) {
  Transformer model;
  model.width = width;
  model.outputs_first = true;
  model.activation = options.encoder.activation;
  model.embedding_scale = options.encoder.embedding_scale;
  model.scaled_attention = options.scaled_attention;
  model.preprocess = options.encoder.before ? "n" : "";
  model.postprocess = options.encoder.before ? "a" : "an";
  model.max_positions = context.options.max_positions;
  return model;
}

}  // namespace

bool accepts_ctranslate2(const Source& source) {
  const auto spec = source.options.find("spec");
  return source.framework == "ctranslate2" && spec != source.options.end() && spec->second.text() == "TransformerSpec";
}

Result<NetworkFacts> build_ctranslate2(FamilyContext& context) {
  const SourceTensor* table = context.source.find("decoder/embeddings/weight");
  if (table == nullptr || table->shape.size() != 2) {
    return Status::error(Code::kUnsupported, "%s: no matrix 'decoder/embeddings/weight'", context.report.model.c_str());
  }
  const auto width = static_cast<uint32_t>(table->shape[1]), vocabulary = static_cast<uint32_t>(table->shape[0]);
  OptionReader option_reader(context.source.options, &context.problems);
  const CTranslate2Options options =
      read_ctranslate2_options(option_reader, context.source.options, width, &context.report.notes);
  OptionReader config_reader(context.source.generation, &context.problems);
  const float epsilon = read_ctranslate2_config(config_reader, &context.report.notes);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));

  Transformer model = settings_of(context, options, width);
  TensorReader reader(context.source, &context.problems);
  Collector collector(reader, width, options.encoder.before);
  const SourceTensor* source_table = context.source.find("encoder/embeddings_0/weight");
  const uint32_t source_vocabulary =
      source_table != nullptr && source_table->shape.size() == 2 ? static_cast<uint32_t>(source_table->shape[0]) : 0;
  find_tables(context, reader,
              {"", "encoder/embeddings_0/weight", "decoder/embeddings/weight", "decoder/projection/weight"},
              {source_vocabulary, vocabulary, width, false, false}, &model);
  model.output_bias = find_output_bias(reader, "decoder/projection/bias", vocabulary);
  read_side(context, collector, "encoder", options.encoder.heads, &model.encoder, width);
  read_side(context, collector, "decoder", options.decoder.heads, &model.decoder, width);
  read_buckets(context, options.max_distance, &model);
  read_positions(reader, &model);
  read_layers(context.source, collector, &model);
  reader.finish();
  check_sides(context, model);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  model.epsilon = epsilon > 0 ? epsilon : usual_epsilon(model);
  model.postprocess_embedding = model.encoder.embedding_norm.scale != nullptr ? "n" : "";
  model.postprocess_top = model.encoder.top_norm.scale != nullptr ? "n" : "";
  if (options.output_scale != 1.0 && model.postprocess_top.empty()) {
    return Status::error(Code::kUnsupported, "%s: decoder/scale_outputs without a last norm",
                         context.report.model.c_str());
  }
  model.decoder.top_norm.factor = options.output_scale;
  context.report.architecture = std::to_string(model.encoder_layers.size()) + " + " +
                                std::to_string(model.decoder_layers.size()) + " layers, width " +
                                std::to_string(width) + ", " + std::to_string(options.encoder.heads) + " heads";
  return build_transformer(context, model);
}

}  // namespace dragoman::converter
