// Judges a single full stop before white space: the end of a sentence, or part of an abbreviation, initial, ordinal or
// list number? Neighbours: asked by the sentence splitter, asks the word lists of abbreviations.h.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/abbreviations.h"
#include "text/stops.h"

namespace dragoman::text {

struct FullStop {
  size_t sentence_begin = 0;
  size_t at = 0;        // offset of the '.'
  Following following;  // kDigit or kOther; the rest was decided before
};

// True when the stop ends the sentence. Looks at most 48 bytes back and 32 ahead.
bool full_stop_ends_sentence(std::string_view text, const FullStop& stop, const LanguageRules& rules);

}  // namespace dragoman::text
