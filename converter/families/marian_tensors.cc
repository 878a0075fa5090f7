// Marian's parameter names and shapes.
// Neighbours: marian_tensors.h; names as in Marian's models/transformer.h.
#include "converter/families/marian_tensors.h"

namespace dragoman::converter {
namespace {

// Collects the parts of one model; methods are named after the parts.
class Collector {
 public:
  Collector(TensorReader& reader, const MarianConfig& config) : reader_(reader), config_(config) {}

  MarianNorm norm(const std::string& prefix, const std::string& suffix) {
    return {reader_.vector(prefix + "_ln_scale" + suffix, config_.width),
            reader_.vector(prefix + "_ln_bias" + suffix, config_.width)};
  }

  // The recurrent sublayer names its two norms differently; elsewhere both prefixes agree.
  MarianNorms norms(const std::string& before, const std::string& after) {
    MarianNorms norms;
    if (config_.preprocess.find('n') != std::string::npos) norms.before = norm(before, "_pre");
    if (config_.postprocess.find('n') != std::string::npos) norms.after = norm(after, "");
    return norms;
  }

  MarianAffine affine(const std::string& weight, const std::string& bias, uint64_t inputs, uint64_t outputs) {
    return {reader_.matrix(weight, inputs, outputs), bias.empty() ? nullptr : reader_.vector(bias, outputs)};
  }

  MarianAttention attention(const std::string& prefix) {
    const auto projection = [&](const char* part) {
      return affine(prefix + "_W" + part, prefix + "_b" + part, config_.width, config_.width);
    };
    MarianAttention attention;
    attention.query = projection("q");
    attention.key = projection("k");
    attention.value = projection("v");
    if (config_.project_attention) attention.output = projection("o");
    attention.norms = norms(prefix + "_Wo", prefix + "_Wo");
    return attention;
  }

  MarianFeedForward feed_forward(const std::string& prefix, uint32_t depth, uint32_t width) {
    MarianFeedForward result;
    for (uint32_t i = 1; i <= depth; ++i) {
      const std::string number = std::to_string(i);
      result.layers.push_back(affine(prefix + "_W" + number, prefix + "_b" + number, i == 1 ? config_.width : width,
                                     i == depth ? config_.width : width));
    }
    result.norms = norms(prefix + "_ffn", prefix + "_ffn");
    return result;
  }

  MarianSsruCell cell(const std::string& prefix) {
    MarianSsruCell cell;
    cell.input = affine(prefix + "_W", "", config_.width, config_.width);
    cell.forget = affine(prefix + "_Wf", prefix + "_bf", config_.width, config_.width);
    cell.norms = norms(prefix, prefix + "_ffn");
    return cell;
  }

  void layers(MarianTensors* tensors) {
    for (uint32_t i = 1; i <= config_.encoder_depth; ++i) {
      const std::string prefix = "encoder_l" + std::to_string(i);
      tensors->encoder.push_back({attention(prefix + "_self"),
                                  feed_forward(prefix + "_ffn", config_.encoder_ffn_depth, config_.encoder_ffn_width)});
    }
    for (const uint32_t name : config_.decoder_layer_names) {
      const std::string prefix = "decoder_l" + std::to_string(name);
      tensors->decoder.push_back({cell(prefix + "_rnn"), attention(prefix + "_context"),
                                  feed_forward(prefix + "_ffn", config_.decoder_ffn_depth, config_.decoder_ffn_width)});
    }
  }

  void embeddings(MarianTensors* tensors) {
    const std::string source = config_.one_input_table ? "Wemb" : "encoder_Wemb";
    const std::string target = config_.one_input_table ? "Wemb" : "decoder_Wemb";
    tensors->source_table = reader_.matrix(source, config_.source_vocabulary, config_.width);
    tensors->target_table = reader_.matrix(target, config_.target_vocabulary, config_.width);
    if (config_.trained_positions) tensors->positions = reader_.matrix("Wpos", 0, config_.width);
    if (config_.postprocess_embedding.find('n') != std::string::npos) {
      tensors->source_embedding_norm = norm("encoder_emb", "_pre");
      tensors->target_embedding_norm = norm("decoder_emb", "_pre");
    }
    if (config_.postprocess_top.find('n') != std::string::npos) {
      tensors->encoder_top_norm = norm("encoder_top", "");
      tensors->decoder_top_norm = norm("decoder_top", "");
    }
  }

  void output(MarianTensors* tensors) {
    if (tensors->target_table == nullptr) return;
    const uint64_t vocabulary = tensors->target_table->shape[0];
    if (!config_.output_is_target_table) {
      // Older files hold [d, V], newer ones the transpose.
      tensors->output_is_table = !reader_.has("decoder_ff_logit_out_W");
      tensors->output = tensors->output_is_table ? reader_.matrix("decoder_ff_logit_out_Wt", vocabulary, config_.width)
                                                 : reader_.matrix("decoder_ff_logit_out_W", config_.width, vocabulary);
    }
    if (config_.output_bias) tensors->output_bias = reader_.vector("decoder_ff_logit_out_b", vocabulary);
  }

 private:
  TensorReader& reader_;
  const MarianConfig& config_;
};

}  // namespace

MarianTensors read_marian_tensors(const Source& source, const MarianConfig& config, Problems* problems) {
  TensorReader reader(source, problems);
  Collector collector(reader, config);
  MarianTensors tensors;
  collector.embeddings(&tensors);
  collector.output(&tensors);
  collector.layers(&tensors);
  reader.ignore("decoder_c_tt");  // a left-over of some trainers, never read
  reader.finish();
  return tensors;
}

}  // namespace dragoman::converter
