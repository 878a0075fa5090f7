// M2M100, NLLB and SMaLL-100: norms before each sublayer, sinusoids of the closed step that begin behind the padding
// id. Neighbours: registered in family.cc; bart_like reads what they share with BART.
#include "converter/families/m2m100.h"

#include "converter/families/bart_like.h"
#include "converter/families/hugging_face_options.h"
#include "converter/families/transformer_builder.h"
#include "converter/graph/positions.h"

namespace dragoman::converter {

bool accepts_m2m100(const Source& source) { return is_model_type(source, "m2m_100"); }

Result<NetworkFacts> build_m2m100(FamilyContext& context) {
  OptionReader reader(context.source.options, &context.problems);
  const BartConfig config = read_bart_config(reader, {"relu", true}, &context.problems);
  reader.finish(&context.report.notes);
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));

  TensorReader tensors(context.source, &context.problems);
  Transformer model = read_bart_tensors(context, tensors, config, {true, false});
  // Some files carry the sinusoids, which are always computed.
  const std::string prefix = bart_prefix(context.source);
  for (const char* side : {"encoder", "decoder"}) {
    for (const char* name : {".embed_positions.weights", ".embed_positions._float_tensor"}) {
      tensors.ignore(prefix + side + name);
    }
  }
  tensors.finish();
  DRAGOMAN_RETURN_IF_ERROR(context.problems.status(context.report.model));
  const uint64_t first = static_cast<uint64_t>(config.pad_id >= 0 ? config.pad_id : 1) + 1;
  model.encoder.positions = sinusoid_table(model.max_positions, config.width, SinusoidStep::kClosed, first);
  model.decoder.positions = model.encoder.positions;
  context.report.architecture = config.text();
  return build_transformer(context, model);
}

}  // namespace dragoman::converter
