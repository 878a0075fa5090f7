// From options to tensors to graph.
// Neighbours: marian.h.
#include "converter/families/marian.h"

#include "converter/families/marian_config.h"
#include "converter/families/marian_tensors.h"
#include "converter/families/transformer_builder.h"

namespace dragoman::converter {

bool accepts_marian_ssru(const Source& source) {
  const auto autoreg = source.options.find("transformer-decoder-autoreg");
  return source.framework == "marian" && autoreg != source.options.end() && autoreg->second.text() == "rnn";
}

bool accepts_marian(const Source& source) { return source.framework == "marian"; }

Result<NetworkFacts> build_marian(FamilyContext& context) {
  const bool has_positions = context.source.find("Wpos") != nullptr;
  const MarianConfig config = read_marian_config(context.source.options, has_positions, &context.problems);
  // Tensors are named and shaped by the options, so wrong options would only breed false alarms about them.
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  const Transformer model = read_marian_tensors(context, config);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  context.report.architecture = config.text();
  DRAGOMAN_ASSIGN_OR_RETURN(NetworkFacts facts, build_transformer(context, model));
  facts.alignment_layer = config.alignment_layer;
  return facts;
}

}  // namespace dragoman::converter
