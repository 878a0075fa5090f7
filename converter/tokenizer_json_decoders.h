// What a tokenizer.json's decoders mean.
// Neighbours: tokenizer_json_rules.cc asks.
#pragma once

#include <vector>

#include "base/tokenizer_tables.h"
#include "converter/formats/tokenizer_json.h"
#include "converter/report.h"

namespace dragoman::converter {

// `raw_bytes`: the pre-tokenizer turned text into bytes, so the decoder has to turn it back. Adds to `problems`.
LeadingSpaces read_decoders(const std::vector<TokenizerComponent>& decoders, bool raw_bytes, Problems* problems);

}  // namespace dragoman::converter
