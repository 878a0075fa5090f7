// CTranslate2's TransformerSpec as far as MarianMT, OpenNMT and M2M100 models use it: layer norms, stored positions.
// Neighbours: registered in family.cc; transformer_builder builds.
#include "converter/families/ctranslate2_transformer.h"

#include <cmath>

#include "converter/families/bart_like.h"
#include "converter/families/option_reader.h"
#include "converter/families/tensor_reader.h"
#include "converter/families/tied_tables.h"
#include "converter/families/transformer_builder.h"

namespace dragoman::converter {
namespace {

constexpr float kEpsilon = 1e-5f;  // unless config.json says otherwise
constexpr uint32_t kMaxDepth = 256;

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

class Collector {
 public:
  Collector(TensorReader& reader, uint32_t width, bool before) : reader_(reader), width_(width), before_(before) {}

  NormPart norm(const std::string& name) {
    return {reader_.vector(name + "/gamma", width_), reader_.vector(name + "/beta", width_)};
  }
  NormPart optional_norm(const std::string& name) { return reader_.has(name + "/gamma") ? norm(name) : NormPart(); }

  AffinePart affine(const std::string& name, const std::string& part, uint64_t outputs, uint64_t inputs) {
    return {reader_.matrix(name + "/weight" + part, outputs, inputs),
            reader_.optional_vector(name + "/bias" + part, outputs == 0 ? bias_size(name + "/bias" + part) : outputs)};
  }

  AttentionPart self_attention(const std::string& layer) {
    const std::string name = layer + "/self_attention";
    AttentionPart part;
    part.query = affine(name + "/linear_0", "[0]", width_, width_);
    part.key = affine(name + "/linear_0", "[1]", width_, width_);
    part.value = affine(name + "/linear_0", "[2]", width_, width_);
    part.output = affine(name + "/linear_1", "", width_, width_);
    place(norm(name + "/layer_norm"), &part.norms);
    return part;
  }

  AttentionPart cross_attention(const std::string& layer) {
    const std::string name = layer + "/attention";
    AttentionPart part;
    part.query = affine(name + "/linear_0", "", width_, width_);
    part.key = affine(name + "/linear_1", "[0]", width_, width_);
    part.value = affine(name + "/linear_1", "[1]", width_, width_);
    part.output = affine(name + "/linear_2", "", width_, width_);
    place(norm(name + "/layer_norm"), &part.norms);
    return part;
  }

  FeedForwardPart feed_forward(const std::string& layer) {
    const std::string name = layer + "/ffn";
    FeedForwardPart part;
    part.layers = {affine(name + "/linear_0", "", 0, width_), affine(name + "/linear_1", "", width_, 0)};
    place(norm(name + "/layer_norm"), &part.norms);
    return part;
  }

 private:
  void place(const NormPart& norm, NormPair* pair) const { (before_ ? pair->before : pair->after) = norm; }
  uint64_t bias_size(const std::string& name) const { return reader_.size_of(name); }

  TensorReader& reader_;
  const uint32_t width_;
  const bool before_;
};

// One side's options; the two have to agree where the network has one answer.
struct SideOptions {
  uint32_t heads = 0;
  bool before = false;
  Activation activation = Activation::kNone;
  float embedding_scale = 1.0f;
};

SideOptions read_side(OptionReader& reader, const std::string& side, uint32_t width) {
  SideOptions options;
  options.heads = reader.number(side + "/num_heads", 8);
  options.before = reader.number(side + "/pre_norm", 1) != 0;
  options.activation = activation_of(reader, side + "/activation");
  const double scale = reader.real(side + "/scale_embeddings", 1.0);
  // Older files say only whether there is a factor.
  options.embedding_scale = static_cast<float>(scale == 1.0   ? std::sqrt(double{1} * width)
                                               : scale == 0.0 ? 1.0
                                                              : scale);
  for (const char* key : {"/alibi", "/multi_query_attention", "/embeddings_merge"}) {
    reader.require(side + key, "0", "not supported");
  }
  if (options.heads == 0 || width % options.heads != 0) {
    reader.refuse(side + "/num_heads", "expected a divisor of the width " + std::to_string(width));
  }
  for (const char* key : {"/alibi_use_positive_positions", "/alignment_heads", "/alignment_layer", "/scale_alibi",
                          "/start_from_zero_embedding"}) {
    reader.ignore(side + key);
  }
  return options;
}

std::vector<float> positions_of(TensorReader& reader, const std::string& side, uint32_t width, uint32_t* positions) {
  const SourceTensor* table = reader.matrix(side + "/position_encodings/encodings", 0, width);
  if (table == nullptr) return {};
  *positions = static_cast<uint32_t>(std::min<uint64_t>(*positions, table->shape[0]));
  return learned_positions(*table, 0, *positions);
}

void read_layers(const Source& source, Collector& collector, Transformer* model) {
  const auto has_layer = [&source](const std::string& layer) {
    return source.find(layer + "/ffn/linear_0/weight") != nullptr;
  };
  for (uint32_t i = 0; i < kMaxDepth && has_layer("encoder/layer_" + std::to_string(i)); ++i) {
    const std::string layer = "encoder/layer_" + std::to_string(i);
    model->encoder_layers.push_back({collector.self_attention(layer), collector.feed_forward(layer)});
  }
  for (uint32_t i = 0; i < kMaxDepth && has_layer("decoder/layer_" + std::to_string(i)); ++i) {
    const std::string name = "decoder/layer_" + std::to_string(i);
    DecoderLayerPart layer;
    layer.number = i + 1;
    layer.self = collector.self_attention(name);
    layer.cross = collector.cross_attention(name);
    layer.feed_forward = collector.feed_forward(name);
    model->decoder_layers.push_back(std::move(layer));
  }
}

void read_side_tensors(TensorReader& reader, Collector& collector, const std::string& name, const SideOptions& options,
                       TransformerSide* side, Transformer* model) {
  side->num_heads = options.heads;
  side->head_width = model->width / options.heads;
  side->embedding_norm = collector.optional_norm(name + "/layernorm_embedding");
  side->top_norm = collector.optional_norm(name + "/layer_norm");
  side->positions = positions_of(reader, name, model->width, &model->max_positions);
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
  Transformer model;
  model.width = static_cast<uint32_t>(table->shape[1]);
  OptionReader options(context.source.options, &context.problems);
  const SideOptions encoder = read_side(options, "encoder", model.width);
  const SideOptions decoder = read_side(options, "decoder", model.width);
  options.ignore("spec");
  options.finish(&context.report.notes);
  if (encoder.before != decoder.before || encoder.activation != decoder.activation ||
      encoder.embedding_scale != decoder.embedding_scale) {
    context.problems.add("encoder and decoder differ in norms, activation or scale of the embeddings");
  }
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  const auto epsilon = context.source.generation.find("layer_norm_epsilon");
  model.epsilon =
      epsilon == context.source.generation.end() ? kEpsilon : std::strtof(epsilon->second.text().c_str(), nullptr);
  model.outputs_first = true;
  model.activation = encoder.activation;
  model.embedding_scale = encoder.embedding_scale;
  model.preprocess = encoder.before ? "n" : "";
  model.postprocess = encoder.before ? "a" : "an";
  model.max_positions = context.options.max_positions;

  TensorReader reader(context.source, &context.problems);
  Collector collector(reader, model.width, encoder.before);
  const auto vocabulary = static_cast<uint32_t>(table->shape[0]);
  const SourceTensor* source_table = context.source.find("encoder/embeddings_0/weight");
  const uint32_t source_vocabulary =
      source_table != nullptr && source_table->shape.size() == 2 ? static_cast<uint32_t>(source_table->shape[0]) : 0;
  find_tables(context, reader,
              {"", "encoder/embeddings_0/weight", "decoder/embeddings/weight", "decoder/projection/weight"},
              {source_vocabulary, vocabulary, model.width, false, false}, &model);
  model.output_bias = find_output_bias(reader, "decoder/projection/bias", vocabulary);
  read_side_tensors(reader, collector, "encoder", encoder, &model.encoder, &model);
  read_side_tensors(reader, collector, "decoder", decoder, &model.decoder, &model);
  read_layers(context.source, collector, &model);
  reader.finish();
  if (model.encoder_layers.empty() || model.decoder_layers.empty()) context.problems.add("no layers found");
  if ((model.encoder.embedding_norm.scale == nullptr) != (model.decoder.embedding_norm.scale == nullptr) ||
      (model.encoder.top_norm.scale == nullptr) != (model.decoder.top_norm.scale == nullptr)) {
    context.problems.add("encoder and decoder differ in their norms");
  }
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  model.postprocess_embedding = model.encoder.embedding_norm.scale != nullptr ? "n" : "";
  model.postprocess_top = model.encoder.top_norm.scale != nullptr ? "n" : "";
  for (TransformerSide* side : {&model.encoder, &model.decoder}) {
    side->positions.resize(size_t{model.max_positions} * model.width);
  }
  context.report.architecture = std::to_string(model.encoder_layers.size()) + " + " +
                                std::to_string(model.decoder_layers.size()) + " layers, width " +
                                std::to_string(model.width) + ", " + std::to_string(encoder.heads) + " heads";
  return build_transformer(context, model);
}

}  // namespace dragoman::converter
