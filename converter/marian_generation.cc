// Names, meaning and the aligned head as in marian-dev (src/common/config_parser.cpp, src/models/transformer.h).
// Neighbours: marian_generation.h.
#include "converter/marian_generation.h"

#include "converter/families/option_reader.h"
#include "dragoman/dragoman.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

void read_search(OptionReader& reader, schema::GenerationT* generation, ConvertReport* report) {
  const uint32_t beam = reader.number("beam-size", generation->beam_size);
  if (beam == 0 || beam > DRAGOMAN_MAX_BEAM) {
    reader.refuse("beam-size", "expected 1 to " + std::to_string(DRAGOMAN_MAX_BEAM));
  }
  generation->beam_size = beam;
  generation->beam_rule = schema::BeamRule::Marian;
  generation->length_penalty =
      reader.real_within("normalize", generation->length_penalty, -DRAGOMAN_MAX_PENALTY, DRAGOMAN_MAX_PENALTY);
  generation->word_penalty =
      reader.real_within("word-penalty", generation->word_penalty, -DRAGOMAN_MAX_PENALTY, DRAGOMAN_MAX_PENALTY);
  if (!reader.has("max-length-factor")) {
    report->notes.push_back("max-length-factor is not given; using " +
                            std::to_string(static_cast<int>(generation->max_length_factor)));
    return;
  }
  constexpr double kAboveZero = 1e-6;
  generation->max_length_factor =
      reader.real_within("max-length-factor", generation->max_length_factor, kAboveZero, DRAGOMAN_MAX_LENGTH_FACTOR);
}

}  // namespace

Status read_marian_generation(const MarianSettings& settings, schema::GenerationT* generation, ConvertReport* report) {
  Problems problems;
  OptionReader decoder(settings.decoder, &problems);
  read_search(decoder, generation, report);
  // Guided alignment trains the first head of one layer.
  generation->alignment_head = 0;
  generation->alignment_layer = settings.alignment_layer;
  return problems.status(settings.path);
}

}  // namespace dragoman::converter
