// Unicode's data as replacement rules and character classes; utf8proc knows it (its version decides which characters
// have a class).
// Neighbours: tokenizer_json_rules takes what a tokenizer.json names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/normalization_rules.h"

namespace dragoman::converter {

// The rules of a normalizer of Hugging Face tokenizers: NFC, NFD, NFKC, NFKD, Lowercase, StripAccents (drops category
// Mn), Nmt (control characters go, rare spaces become U+0020). Empty for any other name. Composition is exact for the
// characters Unicode composes, with their marks in any order; marks beyond those do not combine or change places.
std::optional<NormalizationRules> unicode_rules(const std::string& normalizer);

// Every white space character becomes U+0020.
NormalizationRules white_space_rules();

// TokenizerTables::character_classes: letters (L), numbers (N), property White_Space, others.
std::vector<uint32_t> character_classes();

}  // namespace dragoman::converter
