// BART and mBART: trained positions from row 2 on, normalized embeddings; mBART normalizes before each sublayer.
// Neighbours: registered in family.cc; bart_like reads what they share with MarianMT.
#include "converter/families/bart.h"

#include <algorithm>

#include "converter/families/bart_like.h"
#include "converter/families/hugging_face_options.h"
#include "converter/families/transformer_builder.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kFirstPosition = 2;

Result<NetworkFacts> build(FamilyContext& context, const BartNorms& norms) {
  OptionReader reader(context.source.options, &context.problems);
  const BartConfig config = read_bart_config(reader, {}, &context.problems);
  // Older files spell out what the family fixes.
  reader.require("normalize_before", norms.before ? "true" : "false", "not what this family has");
  reader.require("add_final_layer_norm", norms.before ? "true" : "false", "not what this family has");
  reader.require("normalize_embedding", "true", "embeddings without a norm are not supported");
  reader.require("static_position_embeddings", "false", "only trained positions are supported");
  reader.require("add_bias_logits", "false", "a trained bias of the logits is not supported");
  reader.ignore("extra_pos_embeddings");
  reader.finish(&context.report.notes);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));

  TensorReader tensors(context.source, &context.problems);
  Transformer model = read_bart_tensors(context, tensors, config, norms);
  const std::string prefix = bart_prefix(context.source);
  const uint64_t rows = uint64_t{config.max_positions} + kFirstPosition;
  const SourceTensor* source = tensors.matrix(prefix + "encoder.embed_positions.weight", rows, config.width);
  const SourceTensor* target = tensors.matrix(prefix + "decoder.embed_positions.weight", rows, config.width);
  tensors.finish();
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  model.max_positions = std::min(context.options.max_positions, config.max_positions);
  model.encoder.positions = learned_positions(*source, kFirstPosition, model.max_positions);
  model.decoder.positions = learned_positions(*target, kFirstPosition, model.max_positions);
  context.report.architecture = config.text();
  return build_transformer(context, model);
}

}  // namespace

bool accepts_bart(const Source& source) { return is_model_type(source, "bart"); }
bool accepts_mbart(const Source& source) { return is_model_type(source, "mbart"); }

Result<NetworkFacts> build_bart(FamilyContext& context) { return build(context, {false, true}); }
Result<NetworkFacts> build_mbart(FamilyContext& context) { return build(context, {true, true}); }

}  // namespace dragoman::converter
