// Programs and weights of a transformer encoder-decoder, with self-attention or simpler simple recurrent units (Kim et
// al. 2019) in its decoder. Neighbours: transformer_builder.h; names of values and states as in schema/README.md.
#include "converter/families/transformer_builder.h"

#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "converter/graph/fusion.h"
#include "converter/graph/relative_bias.h"

namespace dragoman::converter {
namespace {

std::string layer_name(const char* side, size_t layer) {
  return std::string(side) + ".layer" + std::to_string(layer + 1);
}

// Builds the programs from tensors that are known to be complete.
class TransformerBuilder {
 public:
  TransformerBuilder(FamilyContext& context, const Transformer& model) : context_(context), model_(model) {}

  Result<NetworkFacts> build() {
    DRAGOMAN_RETURN_IF_ERROR(add_tables());
    DRAGOMAN_RETURN_IF_ERROR(build_encode());
    DRAGOMAN_RETURN_IF_ERROR(build_begin());
    DRAGOMAN_RETURN_IF_ERROR(build_step());
    NetworkFacts facts;
    facts.source_vocabulary = static_cast<uint32_t>(model_.encoder.table->shape[0]);
    facts.target_vocabulary = static_cast<uint32_t>(model_.decoder.table->shape[0]);
    facts.shared_vocabulary = one_input_table();
    context_.graph.set_vocabularies(facts.source_vocabulary, facts.target_vocabulary);
    context_.graph.set_positions(model_.max_positions, model_.max_positions);
    return facts;
  }

 private:
  bool one_input_table() const { return model_.encoder.table == model_.decoder.table; }

  // Scores are queries times keys; what they are divided by is folded into the queries' weights.
  double query_factor(const TransformerSide& side) const {
    return model_.scaled_attention ? 1.0 / std::sqrt(static_cast<double>(side.head_width)) : 1.0;
  }

  Status add_tables() {
    Weights& weights = context_.weights;
    const bool tied = model_.output == nullptr;
    const std::string target = one_input_table() ? "embedding" : "target_embedding";
    DRAGOMAN_ASSIGN_OR_RETURN(target_table_, weights.matrix(target, {table_matrix(*model_.decoder.table)}, tied));
    DRAGOMAN_ASSIGN_OR_RETURN(source_table_, weights.matrix(one_input_table() ? target : "source_embedding",
                                                            {table_matrix(*model_.encoder.table)}));
    output_ = target_table_;
    if (!tied) {
      const Matrix rows = model_.output_is_table ? table_matrix(*model_.output) : linear_matrix(*model_.output);
      DRAGOMAN_ASSIGN_OR_RETURN(output_, weights.matrix("output.weight", {rows}, true));
    }
    if (model_.output_bias != nullptr) {
      DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t bias, weights.vector("output.bias", *model_.output_bias));
      output_bias_ = static_cast<int32_t>(bias);
    }
    const std::vector<float>& source = model_.encoder.positions;
    const std::vector<float>& target_rows = model_.decoder.positions;
    if (source.empty()) return Status();
    if (source == target_rows) {
      source_positions_ = target_positions_ = add_positions("positions", source);
      return Status();
    }
    source_positions_ = add_positions("source_positions", source);
    target_positions_ = add_positions("target_positions", target_rows);
    return Status();
  }

  uint32_t add_positions(const std::string& name, const std::vector<float>& rows) {
    return context_.weights.store().add_bytes(name, ElementType::kF32, {rows.size() / model_.width, model_.width},
                                              std::as_bytes(std::span(rows)));
  }

  Result<NormTensors> norm(const std::string& name, const NormPart& trained) {
    NormTensors tensors;
    tensors.epsilon = model_.epsilon;
    const uint64_t width = trained.scale->size();
    DRAGOMAN_ASSIGN_OR_RETURN(tensors.scale,
                              context_.weights.bias(name + ".scale", {{trained.scale, width, trained.factor}}));
    if (trained.bias == nullptr) return tensors;
    DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t bias,
                              context_.weights.bias(name + ".bias", {{trained.bias, width, trained.factor}}));
    tensors.bias = static_cast<int32_t>(bias);
    return tensors;
  }

  LinearPart part(const AffinePart& trained, double factor = 1.0) const {
    return {trained.weight, trained.bias, factor, model_.outputs_first};
  }

  Result<LinearTensors> linear(const std::string& name, const std::vector<LinearPart>& parts) {
    return fuse_linear(context_.weights, context_.report, name, parts);
  }

  // A bias table by distance instead of by bucket. Layers that share a table share its expansion.
  Result<int32_t> relative_bias(const std::string& layer, const SourceTensor* trained, bool causal) {
    if (trained == nullptr) return -1;
    if (const auto at = relative_biases_.find({trained, causal}); at != relative_biases_.end()) return at->second;
    const std::vector<float> table = relative_bias_table(*trained, model_.buckets.max_distance, causal);
    for (const float value : table) {
      if (!std::isfinite(value)) {
        return Status::error(Code::kNumerical, "tensor '%s' is not finite", trained->name.c_str());
      }
    }
    const uint64_t heads = trained->shape[1];
    const uint32_t index = context_.weights.store().add_bytes(
        layer + ".relative_bias", ElementType::kF32, {heads, table.size() / heads}, std::as_bytes(std::span(table)));
    return relative_biases_[{trained, causal}] = static_cast<int32_t>(index);
  }

  // Steps of a preprocess string; without any, x itself.
  Result<ValueId> before(ProgramBuilder& program, const std::string& ops, ValueId x, const std::string& name,
                         const NormPart& trained) {
    for (const char op : ops) {
      if (op != 'n') continue;
      DRAGOMAN_ASSIGN_OR_RETURN(const NormTensors tensors, norm(name, trained));
      x = program.norm(name, x, tensors);
    }
    return x;
  }

  // Steps of a postprocess string over y with residual r; an addition right before a norm becomes part of it.
  Result<ValueId> after(ProgramBuilder& program, const std::string& ops, ValueId y, ValueId r, const std::string& name,
                        const NormPart& trained) {
    for (size_t i = 0; i < ops.size(); ++i) {
      const bool sum = ops[i] == 'a';
      const bool sum_then_norm = sum && i + 1 < ops.size() && ops[i + 1] == 'n';
      if (sum && !sum_then_norm) {
        y = program.add(name + ".sum", y, r);
        continue;
      }
      DRAGOMAN_ASSIGN_OR_RETURN(const NormTensors tensors, norm(name, trained));
      y = sum ? program.norm_of_sum(name, y, r, tensors) : program.norm(name, y, tensors);
      i += sum ? 1 : 0;
    }
    return y;
  }

  ValueId embed(ProgramBuilder& program, const std::string& side, uint32_t table, bool source) {
    const bool positions = !model_.encoder.positions.empty();
    const ValueId words =
        program.embed(side + (positions ? ".words" : ".embedding"), table, model_.embedding_scale, model_.width);
    if (!positions) return words;
    return program.position_table(side + ".embedding", words, source ? source_positions_ : target_positions_);
  }

  Result<ValueId> feed_forward(ProgramBuilder& program, const FeedForwardPart& trained, ValueId x,
                               const std::string& value_name, const std::string& tensor_name) {
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, model_.preprocess, x, tensor_name + ".ffn.prenorm", trained.norms.before));
    for (size_t i = 0; i < trained.layers.size(); ++i) {
      const bool last = i + 1 == trained.layers.size();
      const bool gated = i == 0 && trained.gate.weight != nullptr;
      const std::string number = std::to_string(i + 1);
      std::vector<LinearPart> parts = {part(trained.layers[i])};
      if (gated) parts.insert(parts.begin(), part(trained.gate));
      DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors, linear(tensor_name + ".ffn.linear" + number, parts));
      const std::string hidden = value_name + ".ffn_hidden" + number;
      y = program.linear(last    ? value_name + ".ffn_out"
                         : gated ? value_name + ".ffn_gate"
                                 : hidden,
                         y, tensors, last || gated ? Activation::kNone : model_.activation);
      if (gated) y = program.gated_linear_unit(hidden, y, model_.activation);
    }
    DRAGOMAN_ASSIGN_OR_RETURN(y,
                              after(program, model_.postprocess, y, x, tensor_name + ".ffn.norm", trained.norms.after));
    program.rename(y, value_name);
    return y;
  }

  // Wo (when there is one) and the postprocess steps of an attention.
  Result<ValueId> finish_attention(ProgramBuilder& program, const AttentionPart& trained, ValueId y, ValueId x,
                                   const std::string& value_name, const std::string& tensor_name) {
    if (trained.output.weight != nullptr) {
      DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors, linear(tensor_name + ".output", {part(trained.output)}));
      y = program.linear(value_name + "_out", y, tensors, Activation::kNone);
    }
    return after(program, model_.postprocess, y, x, tensor_name + ".norm", trained.norms.after);
  }

  // Queries, keys and values of a self-attention as one Linear.
  Result<LinearTensors> fused_projections(const std::string& name, const AttentionPart& trained,
                                          const TransformerSide& side) {
    return linear(name, {part(trained.query, query_factor(side)), part(trained.key), part(trained.value)});
  }

  Result<ValueId> self_attention(ProgramBuilder& program, const AttentionPart& trained, ValueId x,
                                 const std::string& name) {
    DRAGOMAN_ASSIGN_OR_RETURN(ValueId y,
                              before(program, model_.preprocess, x, name + ".self.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors,
                              fused_projections(name + ".self.qkv", trained, model_.encoder));
    DRAGOMAN_ASSIGN_OR_RETURN(const int32_t bias, relative_bias(name + ".self", trained.relative_bias, false));
    y = program.linear(name + ".qkv", y, tensors, Activation::kNone);
    y = program.self_attention(name + ".self", y, model_.encoder.num_heads, bias);
    DRAGOMAN_ASSIGN_OR_RETURN(y, finish_attention(program, trained, y, x, name + ".self", name + ".self"));
    program.rename(y, name + ".after_self");
    return y;
  }

  // As self_attention, over the positions decoded so far. Tied layers share weights, never a cache.
  Result<ValueId> cached_self_attention(ProgramBuilder& program, const AttentionPart& trained, ValueId x,
                                        const std::string& name, const std::string& tensor_name) {
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, model_.preprocess, x, tensor_name + ".self.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors,
                              fused_projections(tensor_name + ".self.qkv", trained, model_.decoder));
    CachedHeads heads;
    heads.num_heads = model_.decoder.num_heads;
    heads.state = context_.graph.add_cache(name + ".cache", 2 * model_.decoder.inner_width());
    DRAGOMAN_ASSIGN_OR_RETURN(heads.relative_bias, relative_bias(tensor_name + ".self", trained.relative_bias, true));
    y = program.linear(name + ".self_qkv", y, tensors, Activation::kNone);
    y = program.cached_self_attention(name + ".self", y, heads);
    DRAGOMAN_ASSIGN_OR_RETURN(y, finish_attention(program, trained, y, x, name + ".self", tensor_name + ".self"));
    program.rename(y, name + ".after_self");
    return y;
  }

  Status build_encode() {
    ProgramBuilder& program = context_.graph.encode();
    const ValueId embedded = embed(program, "encoder", source_table_, true);
    DRAGOMAN_ASSIGN_OR_RETURN(ValueId x, before(program, model_.postprocess_embedding, embedded,
                                                "encoder.embedding_norm", model_.encoder.embedding_norm));
    for (size_t i = 0; i < model_.encoder_layers.size(); ++i) {
      const std::string name = layer_name("encoder", i);
      DRAGOMAN_ASSIGN_OR_RETURN(x, self_attention(program, model_.encoder_layers[i].attention, x, name));
      DRAGOMAN_ASSIGN_OR_RETURN(x, feed_forward(program, model_.encoder_layers[i].feed_forward, x, name, name));
    }
    DRAGOMAN_ASSIGN_OR_RETURN(
        x, after(program, model_.postprocess_top, x, embedded, "encoder.top_norm", model_.encoder.top_norm));
    program.set_output(x);
    return Status();
  }

  // Tied decoder layers have the same keys and values, which are computed and kept once.
  Status build_begin() {
    std::vector<LinearPart> parts;
    uint32_t columns = 0;
    for (const DecoderLayerPart& layer : model_.decoder_layers) {
      if (cross_offsets_.contains(layer.number)) continue;
      parts.push_back(part(layer.cross.key));
      parts.push_back(part(layer.cross.value));
      cross_offsets_[layer.number] = columns;
      columns += 2 * model_.decoder.inner_width();
    }
    cross_state_ = context_.graph.add_state("cross_kv", RowSpace::kSource, columns);
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors, linear("decoder.cross_kv", parts));
    ProgramBuilder& program = context_.graph.begin();
    const ValueId encoded = program.input("context", model_.width);
    program.store(program.linear("cross_kv", encoded, tensors, Activation::kNone), cross_state_);
    return Status();
  }

  Result<ValueId> recurrent(ProgramBuilder& program, const SsruPart& trained, ValueId x, const std::string& value_name,
                            const std::string& tensor_name) {
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, model_.preprocess, x, tensor_name + ".rnn.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors,
                              linear(tensor_name + ".rnn", {part(trained.input), part(trained.forget)}));
    y = program.linear(value_name + ".rnn_in", y, tensors, Activation::kNone);
    const uint32_t state = context_.graph.add_state(value_name + ".cell", RowSpace::kHypothesis, model_.width);
    y = program.ssru(value_name + ".ssru", y, state);
    DRAGOMAN_ASSIGN_OR_RETURN(y,
                              after(program, model_.postprocess, y, x, tensor_name + ".rnn.norm", trained.norms.after));
    if (!model_.postprocess.empty()) program.rename(y, value_name + ".after_rnn");
    return y;
  }

  Result<ValueId> cross_attention(ProgramBuilder& program, const DecoderLayerPart& layer, ValueId x,
                                  const std::string& name, const std::string& tensor_name) {
    const AttentionPart& trained = layer.cross;
    DRAGOMAN_ASSIGN_OR_RETURN(
        ValueId y, before(program, model_.preprocess, x, tensor_name + ".cross.prenorm", trained.norms.before));
    DRAGOMAN_ASSIGN_OR_RETURN(const LinearTensors tensors, linear(tensor_name + ".cross.query",
                                                                  {part(trained.query, query_factor(model_.decoder))}));
    y = program.linear(name + ".query", y, tensors, Activation::kNone);
    const uint32_t offset = cross_offsets_[layer.number];
    y = program.cross_attention(name + ".cross", y, model_.decoder.num_heads,
                                {cross_state_, offset, offset + model_.decoder.inner_width()});
    DRAGOMAN_ASSIGN_OR_RETURN(y, finish_attention(program, trained, y, x, name + ".cross", tensor_name + ".cross"));
    program.rename(y, name + ".after_cross");
    return y;
  }

  Status build_step() {
    ProgramBuilder& program = context_.graph.step();
    const ValueId embedded = embed(program, "decoder", target_table_, false);
    DRAGOMAN_ASSIGN_OR_RETURN(ValueId x, before(program, model_.postprocess_embedding, embedded,
                                                "decoder.embedding_norm", model_.decoder.embedding_norm));
    for (size_t i = 0; i < model_.decoder_layers.size(); ++i) {
      const std::string name = layer_name("decoder", i);
      const DecoderLayerPart& layer = model_.decoder_layers[i];
      const std::string tensor_name = layer_name("decoder", layer.number - 1);
      if (model_.is_recurrent()) {
        DRAGOMAN_ASSIGN_OR_RETURN(x, recurrent(program, layer.cell, x, name, tensor_name));
      } else {
        DRAGOMAN_ASSIGN_OR_RETURN(x, cached_self_attention(program, layer.self, x, name, tensor_name));
      }
      DRAGOMAN_ASSIGN_OR_RETURN(x, cross_attention(program, layer, x, name, tensor_name));
      DRAGOMAN_ASSIGN_OR_RETURN(x, feed_forward(program, layer.feed_forward, x, name, tensor_name));
    }
    DRAGOMAN_ASSIGN_OR_RETURN(
        x, after(program, model_.postprocess_top, x, embedded, "decoder.top_norm", model_.decoder.top_norm));
    program.rename(x, "hidden");
    program.logits(x, output_, output_bias_);
    return Status();
  }

  FamilyContext& context_;
  const Transformer& model_;
  uint32_t source_table_ = 0, target_table_ = 0, output_ = 0, cross_state_ = 0;
  uint32_t source_positions_ = 0, target_positions_ = 0;
  int32_t output_bias_ = -1;
  std::map<uint32_t, uint32_t> cross_offsets_;  // layer number in tensor names -> first column of its keys
  std::map<std::pair<const SourceTensor*, bool>, int32_t> relative_biases_;  // (trained table, causal) -> tensor
};

}  // namespace

Result<NetworkFacts> build_transformer(FamilyContext& context, const Transformer& model) {
  return TransformerBuilder(context, model).build();
}

}  // namespace dragoman::converter
