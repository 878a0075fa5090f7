// Parameters of the made-up students.
// Neighbours: make_marian_model.h; make_marian_files.cc turns them into bytes.
#include "tests/support/make_marian_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace dragoman::test {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): tiny, seeded, equal everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Within +-1.
  float next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<float>(static_cast<double>((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1.0);
  }

 private:
  uint64_t state_;
};

// Adds the parameters of one model in the order of its layers.
class Maker {
 public:
  explicit Maker(const MarianModelOptions& options) : options_(options), random_(options.seed) {}

  std::vector<MarianParameter> make() {
    embeddings();
    for (uint32_t i = 1; i <= options_.encoder_depth; ++i) {
      attention("encoder_l" + std::to_string(i) + "_self");
      feed_forward("encoder_l" + std::to_string(i) + "_ffn");
    }
    for (uint32_t i = 1; i <= options_.decoder_depth; ++i) {
      const uint32_t name = options_.tied_layers.empty() ? i : options_.tied_layers[i - 1];
      if (std::find(made_.begin(), made_.end(), name) != made_.end()) continue;
      made_.push_back(name);
      decoder_layer("decoder_l" + std::to_string(name));
    }
    return std::move(parameters_);
  }

 private:
  void add(const std::string& name, uint32_t rows, uint32_t columns, float range, float middle = 0) {
    MarianParameter parameter{name, rows, columns, {}, MarianWeights::kFloat, 0};
    for (uint64_t i = 0; i < uint64_t{rows} * columns; ++i) parameter.values.push_back(middle + range * random_.next());
    parameters_.push_back(std::move(parameter));
  }

  // Made of integers at once, so that `values` are exactly what a reader has to find.
  void weight(const std::string& name, uint32_t rows, uint32_t columns) {
    add(name, rows, columns, std::sqrt(6.0f / static_cast<float>(rows + columns)));
    MarianParameter& parameter = parameters_.back();
    parameter.stored = options_.weights;
    if (options_.weights == MarianWeights::kFloat) return;
    float largest = 0;
    for (const float value : parameter.values) largest = std::max(largest, std::fabs(value));
    parameter.multiplier = options_.weights == MarianWeights::kInt8 ? 127.0f / largest : 1024.0f;
    for (float& value : parameter.values) {
      value = std::nearbyint(value * parameter.multiplier) * (1.0f / parameter.multiplier);
    }
  }

  void bias(const std::string& name, uint32_t columns) { add(name, 1, columns, 0.1f); }

  void norm(const std::string& prefix, const std::string& suffix) {
    add(prefix + "_ln_scale" + suffix, 1, options_.width, 0.2f, 1.0f);
    add(prefix + "_ln_bias" + suffix, 1, options_.width, 0.2f);
  }

  void norms(const std::string& before, const std::string& after) {
    if (options_.preprocess.find('n') != std::string::npos) norm(before, "_pre");
    if (options_.postprocess.find('n') != std::string::npos) norm(after, "");
  }

  void attention(const std::string& prefix) {
    for (const char* part : {"q", "k", "v", "o"}) {
      if (*part == 'o' && !options_.project_attention) continue;
      weight(prefix + "_W" + part, options_.width, options_.width);
      bias(prefix + "_b" + part, options_.width);
    }
    norms(prefix + "_Wo", prefix + "_Wo");
  }

  void feed_forward(const std::string& prefix) {
    for (uint32_t i = 1; i <= options_.ffn_depth; ++i) {
      const uint32_t outputs = i == options_.ffn_depth ? options_.width : options_.ffn_width;
      weight(prefix + "_W" + std::to_string(i), i == 1 ? options_.width : options_.ffn_width, outputs);
      bias(prefix + "_b" + std::to_string(i), outputs);
    }
    norms(prefix + "_ffn", prefix + "_ffn");
  }

  void decoder_layer(const std::string& prefix) {
    weight(prefix + "_rnn_W", options_.width, options_.width);
    weight(prefix + "_rnn_Wf", options_.width, options_.width);
    bias(prefix + "_rnn_bf", options_.width);
    norms(prefix + "_rnn", prefix + "_rnn_ffn");
    attention(prefix + "_context");
    feed_forward(prefix + "_ffn");
  }

  void embeddings() {
    const bool one_input = options_.tying == MarianTying::kAll || options_.tying == MarianTying::kInputs;
    if (one_input) {
      weight("Wemb", options_.source_vocabulary, options_.width);
    } else {
      weight("encoder_Wemb", options_.source_vocabulary, options_.width);
      weight("decoder_Wemb", options_.target_vocabulary, options_.width);
    }
    if (options_.tying == MarianTying::kInputs || options_.tying == MarianTying::kNone) {
      add("decoder_ff_logit_out_Wt", options_.target_vocabulary, options_.width, 0.4f);
    }
    if (options_.output_bias) {
      add("decoder_ff_logit_out_b", 1, options_.target_vocabulary, 0.1f, options_.output_bias_middle);
    }
    if (options_.trained_positions != 0) add("Wpos", options_.trained_positions, options_.width, 0.5f);
    for (const char* side : {"encoder", "decoder"}) {
      if (options_.postprocess_embedding.find('n') != std::string::npos) norm(std::string(side) + "_emb", "_pre");
      if (options_.postprocess_top.find('n') != std::string::npos) norm(std::string(side) + "_top", "");
    }
  }

  const MarianModelOptions& options_;
  Random random_;
  std::vector<uint32_t> made_;
  std::vector<MarianParameter> parameters_;
};

const char* flag(bool value) { return value ? "true" : "false"; }

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string options_text(const MarianModelOptions& o) {
  std::string layers = "[";
  for (const uint32_t layer : o.tied_layers) layers += (layers.size() > 1 ? ", " : "") + std::to_string(layer);
  std::vector<std::pair<std::string, std::string>> lines = {
      {"bert-train-type-embeddings", "true"},
      {"dec-cell", "ssru"},
      {"dec-cell-base-depth", "2"},
      {"dec-depth", std::to_string(o.decoder_depth)},
      {"dim-emb", std::to_string(o.width)},
      {"dim-rnn", "1024"},
      {"dim-vocabs", "[" + std::to_string(o.source_vocabulary) + ", " + std::to_string(o.target_vocabulary) + "]"},
      {"enc-depth", std::to_string(o.encoder_depth)},
      {"input-types", "[]"},
      {"layer-normalization", "false"},
      {"output-omit-bias", flag(!o.output_bias)},
      {"tied-embeddings", flag(o.tying == MarianTying::kOutput)},
      {"tied-embeddings-all", flag(o.tying == MarianTying::kAll)},
      {"tied-embeddings-src", flag(o.tying == MarianTying::kInputs)},
      {"transformer-decoder-autoreg", "rnn"},
      {"transformer-dim-ffn", std::to_string(o.ffn_width)},
      {"transformer-ffn-activation", o.activation},
      {"transformer-ffn-depth", std::to_string(o.ffn_depth)},
      {"transformer-heads", std::to_string(o.num_heads)},
      {"transformer-no-projection", flag(!o.project_attention)},
      {"transformer-postprocess", quoted(o.postprocess)},
      {"transformer-postprocess-emb", quoted(o.postprocess_embedding)},
      {"transformer-postprocess-top", quoted(o.postprocess_top)},
      {"transformer-preprocess", quoted(o.preprocess)},
      {"transformer-tied-layers", layers + "]"},
      {"transformer-train-positions", flag(o.trained_positions != 0)},
      {"type", "transformer"},
      {"version", "v1.9.56 made up"},
  };
  for (const auto& option : o.options) {
    std::erase_if(lines, [&](const auto& line) { return line.first == option.first; });
    lines.push_back(option);
  }
  std::string text;
  for (const auto& [key, value] : lines) text += key + ": " + value + "\n";
  return text;
}

}  // namespace

const MarianParameter& MarianModel::find(const std::string& name) const {
  for (const MarianParameter& parameter : parameters) {
    if (parameter.name == name) return parameter;
  }
  std::fprintf(stderr, "no parameter %s\n", name.c_str());
  std::abort();
}

MarianModel make_marian_model(const MarianModelOptions& options) {
  return MarianModel{options_text(options), Maker(options).make()};
}

}  // namespace dragoman::test
