// What the config.json of every Hugging Face encoder-decoder has in common: names of activations, keys without meaning.
// Neighbours: the families read through it beside OptionReader.
#pragma once

#include <string>

#include "converter/families/option_reader.h"
#include "converter/frontends/source.h"
#include "converter/graph/builder.h"

namespace dragoman::converter {

// Whether the source comes from Hugging Face and its model_type is `type`.
bool is_model_type(const Source& source, const char* type);

// The activation of that Hugging Face name; an unknown one is refused.
Activation read_activation(OptionReader& reader, const std::string& key, const std::string& fallback);
Activation activation_of(OptionReader& reader, const std::string& key, const std::string& name);

// Marks what training, bookkeeping, other heads and decoding (read elsewhere) left in a config.json as seen.
void ignore_common_keys(OptionReader& reader);

}  // namespace dragoman::converter
