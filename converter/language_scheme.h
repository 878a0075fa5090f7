// How the families of multilingual models spell their languages' tokens, and where they put them.
// Neighbours: languages.cc fills a model's description by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converter/formats/yaml_options.h"
#include "converter/frontends/source.h"

namespace dragoman::schema {
struct LanguageLayoutT;
}

namespace dragoman::converter {

enum class LanguageScheme : uint8_t { kNllb, kNllbLegacy, kM2m100, kSmall100, kMbart, kMbart50, kOpus, kMadlad };

// The model_type in Hugging Face's sense whose languages have such tokens; "" when fewer than two have. For formats
// that do not say it.
std::string model_type_of(const std::vector<std::string>& tokens);

// The name in a language token of the source's model_type ("fra" of ">>fra<<"), or "" when `token` is none.
std::string_view language_in_token(const Source& source, std::string_view token);

// Which scheme the model follows. `token` is one of its language tokens, of which there are `num_languages`; `folder`
// may hold files that tell relatives apart.
LanguageScheme scheme_of(const Source& source, const Options& tokenizer_config, const std::string& folder,
                         std::string_view token, size_t num_languages);

// Where tokens stand; `end_id` ends a text.
std::unique_ptr<schema::LanguageLayoutT> layout_of(LanguageScheme scheme, int32_t end_id);

// Whether the source language has a token somewhere.
bool places_source(LanguageScheme scheme);

// The source language that the family's tokenizer takes when none is named; "": it takes none.
const char* usual_source(LanguageScheme scheme);

// The same for people, one line.
const char* layout_text(LanguageScheme scheme);

}  // namespace dragoman::converter
