// Marian's parameter names and shapes.
// Neighbours: marian_tensors.h; names as in Marian's models/transformer.h.
#include "converter/families/marian_tensors.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "converter/families/tensor_reader.h"
#include "converter/graph/matrix.h"
#include "converter/graph/positions.h"

namespace dragoman::converter {
namespace {

// Collects the parts of one model; methods are named after the parts.
class Collector {
 public:
  Collector(TensorReader& reader, const MarianConfig& config) : reader_(reader), config_(config) {}

  NormPart norm(const std::string& prefix, const std::string& suffix) {
    return {reader_.vector(prefix + "_ln_scale" + suffix, config_.width),
            reader_.vector(prefix + "_ln_bias" + suffix, config_.width)};
  }

  // The recurrent sublayer names its two norms differently; elsewhere both prefixes agree.
  NormPair norms(const std::string& before, const std::string& after) {
    NormPair norms;
    if (config_.preprocess.find('n') != std::string::npos) norms.before = norm(before, "_pre");
    if (config_.postprocess.find('n') != std::string::npos) norms.after = norm(after, "");
    return norms;
  }

  AffinePart affine(const std::string& weight, const std::string& bias, uint64_t inputs, uint64_t outputs) {
    return {reader_.matrix(weight, inputs, outputs), bias.empty() ? nullptr : reader_.vector(bias, outputs)};
  }

  AttentionPart attention(const std::string& prefix) {
    const auto projection = [&](const char* part) {
      return affine(prefix + "_W" + part, prefix + "_b" + part, config_.width, config_.width);
    };
    AttentionPart attention;
    attention.query = projection("q");
    attention.key = projection("k");
    attention.value = projection("v");
    if (config_.project_attention) attention.output = projection("o");
    attention.norms = norms(prefix + "_Wo", prefix + "_Wo");
    return attention;
  }

  FeedForwardPart feed_forward(const std::string& prefix, uint32_t depth, uint32_t width) {
    FeedForwardPart result;
    for (uint32_t i = 1; i <= depth; ++i) {
      const std::string number = std::to_string(i);
      result.layers.push_back(affine(prefix + "_W" + number, prefix + "_b" + number, i == 1 ? config_.width : width,
                                     i == depth ? config_.width : width));
    }
    result.norms = norms(prefix + "_ffn", prefix + "_ffn");
    return result;
  }

  SsruPart cell(const std::string& prefix) {
    SsruPart cell;
    cell.input = affine(prefix + "_W", "", config_.width, config_.width);
    cell.forget = affine(prefix + "_Wf", prefix + "_bf", config_.width, config_.width);
    cell.norms = norms(prefix, prefix + "_ffn");
    return cell;
  }

  void layers(Transformer* model) {
    for (uint32_t i = 1; i <= config_.encoder_depth; ++i) {
      const std::string prefix = "encoder_l" + std::to_string(i);
      model->encoder_layers.push_back(
          {attention(prefix + "_self"),
           feed_forward(prefix + "_ffn", config_.encoder_ffn_depth, config_.encoder_ffn_width)});
    }
    for (const uint32_t name : config_.decoder_layer_names) {
      const std::string prefix = "decoder_l" + std::to_string(name);
      DecoderLayerPart layer;
      layer.number = name;
      if (config_.recurrent_decoder) {
        layer.cell = cell(prefix + "_rnn");
      } else {
        layer.self = attention(prefix + "_self");
      }
      layer.cross = attention(prefix + "_context");
      layer.feed_forward = feed_forward(prefix + "_ffn", config_.decoder_ffn_depth, config_.decoder_ffn_width);
      model->decoder_layers.push_back(layer);
    }
  }

  void embeddings(Transformer* model) {
    const std::string source = config_.one_input_table ? "Wemb" : "encoder_Wemb";
    const std::string target = config_.one_input_table ? "Wemb" : "decoder_Wemb";
    model->encoder.table = reader_.matrix(source, config_.source_vocabulary, config_.width);
    model->decoder.table = reader_.matrix(target, config_.target_vocabulary, config_.width);
    if (config_.postprocess_embedding.find('n') != std::string::npos) {
      model->encoder.embedding_norm = norm("encoder_emb", "_pre");
      model->decoder.embedding_norm = norm("decoder_emb", "_pre");
    }
    if (config_.postprocess_top.find('n') != std::string::npos) {
      model->encoder.top_norm = norm("encoder_top", "");
      model->decoder.top_norm = norm("decoder_top", "");
    }
  }

  void output(Transformer* model) {
    if (model->decoder.table == nullptr) return;
    const uint64_t vocabulary = model->decoder.table->shape[0];
    if (!config_.output_is_target_table) {
      // Older files hold [d, V], newer ones the transpose.
      model->output_is_table = !reader_.has("decoder_ff_logit_out_W");
      model->output = model->output_is_table ? reader_.matrix("decoder_ff_logit_out_Wt", vocabulary, config_.width)
                                             : reader_.matrix("decoder_ff_logit_out_W", config_.width, vocabulary);
    }
    if (config_.output_bias) model->output_bias = reader_.vector("decoder_ff_logit_out_b", vocabulary);
  }

 private:
  TensorReader& reader_;
  const MarianConfig& config_;
};

// Marian reads the last trained row for every position beyond the table; here those rows are written out.
std::vector<float> position_rows(const SourceTensor* trained, uint32_t positions, uint32_t width) {
  if (trained == nullptr) return sinusoid_table(positions, width, SinusoidStep::kClosed);
  const Matrix table = table_matrix(*trained);
  std::vector<float> rows(size_t{positions} * width);
  for (size_t p = 0; p < positions; ++p) {
    table.read_float(std::min<uint64_t>(p, table.rows - 1), std::span(rows).subspan(p * width, width));
  }
  return rows;
}

}  // namespace

Transformer read_marian_tensors(FamilyContext& context, const MarianConfig& config) {
  TensorReader reader(context.source, &context.problems);
  Collector collector(reader, config);
  Transformer model;
  collector.embeddings(&model);
  collector.output(&model);
  collector.layers(&model);
  const SourceTensor* positions = config.trained_positions ? reader.matrix("Wpos", 0, config.width) : nullptr;
  reader.ignore("decoder_c_tt");  // a left-over of some trainers, never read
  reader.finish();
  model.max_positions = context.options.max_positions;
  model.width = config.width;
  model.encoder.num_heads = model.decoder.num_heads = config.num_heads;
  model.encoder.head_width = model.decoder.head_width = config.head_width();
  model.preprocess = config.preprocess;
  model.postprocess = config.postprocess;
  model.postprocess_embedding = config.postprocess_embedding;
  model.postprocess_top = config.postprocess_top;
  model.activation = config.activation;
  if (positions == nullptr) model.embedding_scale = static_cast<float>(std::sqrt(double{1} * config.width));
  if (!context.problems.empty()) return model;
  model.encoder.positions = position_rows(positions, model.max_positions, config.width);
  model.decoder.positions = model.encoder.positions;
  return model;
}

}  // namespace dragoman::converter
