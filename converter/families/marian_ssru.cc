// The three programs of a Marian student: encoder, all layers' cross keys and values, one decoder step.
// Neighbours: marian_ssru.h; formulas as in Marian's models/transformer.h and rnn/cells.h (SSRU).
#include "converter/families/marian_ssru.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "converter/families/marian_config.h"
#include "converter/families/marian_tensors.h"
#include "converter/graph/fusion.h"
#include "converter/graph/positions.h"

namespace dragoman::converter {
namespace {

std::string layer_name(const char* side, size_t layer) {
  return std::string(side) + ".layer" + std::to_string(layer + 1);
}

// Builds the programs from tensors that are known to be complete.
class MarianSsruBuilder {
 public:
  MarianSsruBuilder(FamilyContext& context, const MarianConfig& config, const MarianTensors& tensors)
      : context_(context),
        config_(config),
        tensors_(tensors),
        query_factor_(1.0 / std::sqrt(static_cast<double>(config.head_width()))) {}

  Result<NetworkFacts> build() {
    DRAGOMAN_RETURN_IF_ERROR(add_tables());
    DRAGOMAN_RETURN_IF_ERROR(build_encode());
    DRAGOMAN_RETURN_IF_ERROR(build_begin());
    DRAGOMAN_RETURN_IF_ERROR(build_step());
    NetworkFacts facts;
    facts.source_vocabulary = static_cast<uint32_t>(tensors_.source_table->shape[0]);
    facts.target_vocabulary = static_cast<uint32_t>(tensors_.target_table->shape[0]);
    facts.shared_vocabulary = config_.one_input_table;
    context_.graph.set_vocabularies(facts.source_vocabulary, facts.target_vocabulary);
    context_.graph.set_positions(context_.options.max_positions, context_.options.max_positions);
    return facts;
  }

 private:
  Status add_tables() {
    Weights& weights = context_.weights;
    const bool tied = config_.output_is_target_table;
    const std::string target = config_.one_input_table ? "embedding" : "target_embedding";
    DRAGOMAN_ASSIGN_OR_RETURN(target_table_, weights.matrix(target, {table_matrix(*tensors_.target_table)}, tied));
    DRAGOMAN_ASSIGN_OR_RETURN(source_table_, weights.matrix(config_.one_input_table ? target : "source_embedding",
                                                            {table_matrix(*tensors_.source_table)}));
    output_ = target_table_;
    if (!tied) {
      const Matrix rows = tensors_.output_is_table ? table_matrix(*tensors_.output) : linear_matrix(*tensors_.output);
      DRAGOMAN_ASSIGN_OR_RETURN(output_, weights.matrix("output.weight", {rows}, true));
    }
    if (tensors_.output_bias != nullptr) {
      DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t bias, weights.vector("output.bias", *tensors_.output_bias));
      output_bias_ = static_cast<int32_t>(bias);
    }
    const std::vector<float> positions = position_rows();
    positions_ =
        weights.store().add_bytes("positions", ElementType::kF32, {context_.options.max_positions, config_.width},
                                  std::as_bytes(std::span(positions)));
    return Status();
  }

  // Marian reads the last trained row for every position beyond the table; here those rows are written out.
  std::vector<float> position_rows() const {
    if (tensors_.positions == nullptr) return marian_position_table(context_.options.max_positions, config_.width);
    const Matrix trained = table_matrix(*tensors_.positions);
    std::vector<float> rows(size_t{context_.options.max_positions} * config_.width);
    for (size_t p = 0; p < context_.options.max_positions; ++p) {
      trained.read_float(std::min<uint64_t>(p, trained.rows - 1),
                         std::span(rows).subspan(p * config_.width, config_.width));
    }
    return rows;
  }

  Result<NormTensors> norm(const std::string& name, const MarianNorm& trained) {
    NormTensors tensors;
    DRAGOMAN_ASSIGN_OR_RETURN(tensors.scale, context_.weights.vector(name + ".scale", *trained.scale));
    DRAGOMAN_ASSIGN_OR_RETURN(tensors.bias, context_.weights.vector(name + ".bias", *trained.bias));
    return tensors;
  }

  Result<LinearTensors> linear(const std::string& name, const std::vector<LinearPart>& parts) {
    return fuse_linear(context_.weights, context_.report, name, parts);
  }

  // Steps of a preprocess string; without any, x itself.
  Result<ValueId> before(ProgramBuilder& program, const std::string& ops, ValueId x, const std::string& name,
                         const MarianNorm& trained) {
    for (const char op : ops) {
      if (op != 'n') continue;
      DRAGOMAN_ASSIGN_OR_RETURN(const NormTensors tensors, norm(name, trained));
      x = program.layer_norm(name, x, tensors);
    }
    return x;
  }

  // Steps of a postprocess string over y with residual r; an addition right before a norm becomes part of it.
  Result<ValueId> after(ProgramBuilder& program, const std::string& ops, ValueId y, ValueId r, const std::string& name,
                        const MarianNorm& trained) {
    for (size_t i = 0; i < ops.size(); ++i) {
      const bool sum = ops[i] == 'a';
      const bool sum_then_norm = sum && i + 1 < ops.size() && ops[i + 1] == 'n';
      if (sum && !sum_then_norm) {
        y = program.add(name + ".sum", y, r);
        continue;
      }
      DRAGOMAN_ASSIGN_OR_RETURN(const NormTensors tensors, norm(name, trained));
      y = sum ? program.layer_norm_of_sum(name, y, r, tensors) : program.layer_norm(name, y, tensors);
      i += sum ? 1 : 0;
    }
    return y;
  }

  Result<ValueId> embed(ProgramBuilder& program, const std::string& side, uint32_t table) {
    const float scale = tensors_.positions != nullptr ? 1.0f : static_cast<float>(std::sqrt(double{1} * config_.width));
    const ValueId words = program.embed(side + ".words", table, scale, config_.width);
    return program.position_table(side + ".embedding", words, positions_);
  }

  Result<ValueId> feed_forward(ProgramBuilder& program, const MarianFeedForward& trained, ValueId x,
                               const std::string& value_name, const std::string& tensor_name) {
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, config_.preprocess, x, tensor_name + ".ffn.prenorm", trained.norms.before));
    for (size_t i = 0; i < trained.layers.size(); ++i) {
      const bool last = i + 1 == trained.layers.size();
      const std::string number = std::to_string(i + 1);
      DRAGOMAN_ASSIGN_OR_RETURN(
          const LinearTensors tensors,
          linear(tensor_name + ".ffn.linear" + number, {{trained.layers[i].weight, trained.layers[i].bias}}));
      y = program.linear(value_name + (last ? ".ffn_out" : ".ffn_hidden" + number), y, tensors,
                         last ? Activation::kNone : config_.activation);
    }
    DRAGOMAN_ASSIGN_OR_RETURN(
        y, after(program, config_.postprocess, y, x, tensor_name + ".ffn.norm", trained.norms.after));
    program.rename(y, value_name);
    return y;
  }

  // Wo (when there is one) and the postprocess steps of an attention.
  Result<ValueId> finish_attention(ProgramBuilder& program, const MarianAttention& trained, ValueId y, ValueId x,
                                   const std::string& value_name, const std::string& tensor_name) {
    if (config_.project_attention) {
      DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors,
                                linear(tensor_name + ".output", {{trained.output.weight, trained.output.bias}}));
      y = program.linear(value_name + "_out", y, tensors, Activation::kNone);
    }
    return after(program, config_.postprocess, y, x, tensor_name + ".norm", trained.norms.after);
  }

  Result<ValueId> self_attention(ProgramBuilder& program, const MarianAttention& trained, ValueId x,
                                 const std::string& name) {
    DRAGOMAN_ASSIGN_OR_RETURN(ValueId y,
                              before(program, config_.preprocess, x, name + ".self.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors,
                              linear(name + ".self.qkv", {{trained.query.weight, trained.query.bias, query_factor_},
                                                          {trained.key.weight, trained.key.bias},
                                                          {trained.value.weight, trained.value.bias}}));
    y = program.linear(name + ".qkv", y, tensors, Activation::kNone);
    y = program.self_attention(name + ".self", y, config_.num_heads);
    DRAGOMAN_ASSIGN_OR_RETURN(y, finish_attention(program, trained, y, x, name + ".self", name + ".self"));
    program.rename(y, name + ".after_self");
    return y;
  }

  Status build_encode() {
    ProgramBuilder& program = context_.graph.encode();
    DRAGOMAN_ASSIGN_OR_RETURN(const ValueId embedded, embed(program, "encoder", source_table_));
    DRAGOMAN_ASSIGN_OR_RETURN(ValueId x, before(program, config_.postprocess_embedding, embedded,
                                                "encoder.embedding_norm", tensors_.source_embedding_norm));
    for (size_t i = 0; i < tensors_.encoder.size(); ++i) {
      const std::string name = layer_name("encoder", i);
      DRAGOMAN_ASSIGN_OR_RETURN(x, self_attention(program, tensors_.encoder[i].attention, x, name));
      DRAGOMAN_ASSIGN_OR_RETURN(x, feed_forward(program, tensors_.encoder[i].feed_forward, x, name, name));
    }
    DRAGOMAN_ASSIGN_OR_RETURN(
        x, after(program, config_.postprocess_top, x, embedded, "encoder.top_norm", tensors_.encoder_top_norm));
    program.set_output(x);
    return Status();
  }

  // Tied decoder layers have the same keys and values, which are computed and kept once.
  Status build_begin() {
    std::vector<LinearPart> parts;
    uint32_t columns = 0;
    for (size_t i = 0; i < tensors_.decoder.size(); ++i) {
      if (cross_offsets_.contains(config_.decoder_layer_names[i])) continue;
      const MarianAttention& cross = tensors_.decoder[i].cross;
      parts.push_back({cross.key.weight, cross.key.bias});
      parts.push_back({cross.value.weight, cross.value.bias});
      cross_offsets_[config_.decoder_layer_names[i]] = columns;
      columns += 2 * config_.width;
    }
    cross_state_ = context_.graph.add_state("cross_kv", RowSpace::kSource, columns);
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors, linear("decoder.cross_kv", parts));
    ProgramBuilder& program = context_.graph.begin();
    const ValueId encoded = program.input("context", config_.width);
    program.store(program.linear("cross_kv", encoded, tensors, Activation::kNone), cross_state_);
    return Status();
  }

  Result<ValueId> recurrent(ProgramBuilder& program, const MarianSsruCell& trained, ValueId x,
                            const std::string& value_name, const std::string& tensor_name) {
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, config_.preprocess, x, tensor_name + ".rnn.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(
        const LinearTensors tensors,
        linear(tensor_name + ".rnn", {{trained.input.weight, nullptr}, {trained.forget.weight, trained.forget.bias}}));
    y = program.linear(value_name + ".rnn_in", y, tensors, Activation::kNone);
    const uint32_t state = context_.graph.add_state(value_name + ".cell", RowSpace::kHypothesis, config_.width);
    y = program.ssru(value_name + ".ssru", y, state);
    DRAGOMAN_ASSIGN_OR_RETURN(
        y, after(program, config_.postprocess, y, x, tensor_name + ".rnn.norm", trained.norms.after));
    if (!config_.postprocess.empty()) program.rename(y, value_name + ".after_rnn");
    return y;
  }

  Result<ValueId> cross_attention(ProgramBuilder& program, const MarianAttention& trained, ValueId x, size_t layer,
                                  const std::string& tensor_name) {
    const std::string name = layer_name("decoder", layer);
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, config_.preprocess, x, tensor_name + ".cross.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(
        const LinearTensors tensors,
        linear(tensor_name + ".cross.query", {{trained.query.weight, trained.query.bias, query_factor_}}));
    y = program.linear(name + ".query", y, tensors, Activation::kNone);
    const uint32_t offset = cross_offsets_[config_.decoder_layer_names[layer]];
    y = program.cross_attention(name + ".cross", y, config_.num_heads, {cross_state_, offset, offset + config_.width});
    DRAGOMAN_ASSIGN_OR_RETURN(y, finish_attention(program, trained, y, x, name + ".cross", tensor_name + ".cross"));
    program.rename(y, name + ".after_cross");
    return y;
  }

  Status build_step() {
    ProgramBuilder& program = context_.graph.step();
    DRAGOMAN_ASSIGN_OR_RETURN(const ValueId embedded, embed(program, "decoder", target_table_));
    DRAGOMAN_ASSIGN_OR_RETURN(ValueId x, before(program, config_.postprocess_embedding, embedded,
                                                "decoder.embedding_norm", tensors_.target_embedding_norm));
    for (size_t i = 0; i < tensors_.decoder.size(); ++i) {
      const std::string name = layer_name("decoder", i);
      const std::string tensor_name = layer_name("decoder", config_.decoder_layer_names[i] - 1);
      const MarianDecoderLayer& layer = tensors_.decoder[i];
      DRAGOMAN_ASSIGN_OR_RETURN(x, recurrent(program, layer.cell, x, name, tensor_name));
      DRAGOMAN_ASSIGN_OR_RETURN(x, cross_attention(program, layer.cross, x, i, tensor_name));
      DRAGOMAN_ASSIGN_OR_RETURN(x, feed_forward(program, layer.feed_forward, x, name, tensor_name));
    }
    DRAGOMAN_ASSIGN_OR_RETURN(
        x, after(program, config_.postprocess_top, x, embedded, "decoder.top_norm", tensors_.decoder_top_norm));
    program.rename(x, "hidden");
    program.logits(x, output_, output_bias_);
    return Status();
  }

  FamilyContext& context_;
  const MarianConfig& config_;
  const MarianTensors& tensors_;
  const double query_factor_;
  uint32_t source_table_ = 0, target_table_ = 0, output_ = 0, positions_ = 0, cross_state_ = 0;
  int32_t output_bias_ = -1;
  std::map<uint32_t, uint32_t> cross_offsets_;  // layer number in tensor names -> first column of its keys
};

}  // namespace

bool accepts_marian_ssru(const Source& source) { return source.framework == "marian"; }

Result<NetworkFacts> build_marian_ssru(FamilyContext& context) {
  const bool has_positions = context.source.find("Wpos") != nullptr;
  const MarianConfig config = read_marian_config(context.source.options, has_positions, &context.problems);
  // Tensors are named and shaped by the options, so wrong options would only breed false alarms about them.
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  const MarianTensors tensors = read_marian_tensors(context.source, config, &context.problems);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  context.report.architecture = config.text();
  return MarianSsruBuilder(context, config, tensors).build();
}

}  // namespace dragoman::converter
