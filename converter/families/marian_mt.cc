// MarianMT (OPUS-MT in Hugging Face's form): norms after each sublayer, sinusoids of the open step, logits' bias.
// Neighbours: registered in family.cc; bart_like reads what it shares with BART.
#include "converter/families/marian_mt.h"

#include <algorithm>
#include <cmath>

#include "converter/families/bart_like.h"
#include "converter/families/hugging_face_options.h"
#include "converter/families/transformer_builder.h"
#include "converter/graph/matrix.h"
#include "converter/graph/positions.h"

namespace dragoman::converter {
namespace {

// Older checkpoints store the sinusoids. Their rounding is not worth keeping; other numbers are.
std::vector<float> positions_of(FamilyContext& context, TensorReader& reader, const std::string& name,
                                const BartConfig& config, uint32_t* positions) {
  std::vector<float> table = sinusoid_table(*positions, config.width, SinusoidStep::kOpen);
  const SourceTensor* stored = reader.optional_matrix(name, config.max_positions, config.width);
  if (stored == nullptr) return table;
  const uint32_t rows = std::min(config.max_positions, *positions);
  std::vector<float> given = learned_positions(*stored, 0, rows);
  float largest = 0;
  for (size_t i = 0; i < given.size(); ++i) largest = std::max(largest, std::fabs(given[i] - table[i]));
  if (largest <= 1e-3f) return table;
  context.report.notes.push_back("'" + name + "' holds other numbers than MarianMT's sinusoids and is kept as it is");
  *positions = rows;
  return given;
}

bool is_zero_row(const SourceTensor& table, uint64_t row) {
  const Matrix trained = table_matrix(table);
  std::vector<float> values(static_cast<size_t>(trained.columns));
  trained.read_float(row, values);
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0f; });
}

}  // namespace

bool accepts_marian_mt(const Source& source) { return is_model_type(source, "marian"); }

Result<NetworkFacts> build_marian_mt(FamilyContext& context) {
  OptionReader reader(context.source.options, &context.problems);
  // Absent options have the defaults of Hugging Face's class, except that every MarianMT model scales its embeddings.
  BartConfig config = read_bart_config(reader, {"gelu", true}, &context.problems);
  config.tables.one_input_table = reader.flag("share_encoder_decoder_embeddings", true);
  config.tables.target_vocabulary = reader.number("decoder_vocab_size", config.tables.source_vocabulary);
  for (const char* key : {"normalize_before", "normalize_embedding", "add_final_layer_norm", "add_bias_logits"}) {
    reader.require(key, "false", "MarianMT models have it false");
  }
  reader.require("static_position_embeddings", "true", "only sinusoids are supported");
  reader.require("extra_pos_embeddings", "0", "MarianMT models have none");
  reader.finish(&context.report.notes);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));

  TensorReader tensors(context.source, &context.problems);
  Transformer model = read_bart_tensors(context, tensors, config, {});
  const std::string prefix = bart_prefix(context.source);
  uint32_t positions = model.max_positions;
  model.encoder.positions =
      positions_of(context, tensors, prefix + "encoder.embed_positions.weight", config, &positions);
  model.decoder.positions =
      positions_of(context, tensors, prefix + "decoder.embed_positions.weight", config, &positions);
  model.max_positions = positions;
  tensors.finish();
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  context.report.architecture = config.text();
  DRAGOMAN_ASSIGN_OR_RETURN(NetworkFacts facts, build_transformer(context, model));
  // The decoder starts with the padding token, whose row was never trained as an output.
  if (config.pad_id >= 0 && config.pad_id < facts.target_vocabulary) {
    facts.suppressed.push_back(static_cast<int32_t>(config.pad_id));
    if (!is_zero_row(*model.decoder.table, static_cast<uint64_t>(config.pad_id))) {
      context.report.notes.push_back("the row of the padding token " + std::to_string(config.pad_id) +
                                     ", from which decoding starts, is not zero; it counts as stored");
    }
  }
  return facts;
}

}  // namespace dragoman::converter
