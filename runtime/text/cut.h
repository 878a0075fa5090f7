// Chooses where to cut a sentence that is longer than the engine's limits, so that every part is translated.
// Neighbours: the pipeline cuts a sentence of the splitter before it is tokenized.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// The best cut at or before `max_bytes`: an offset in [1, sentence.size()], the whole size when the sentence fits.
// The last place of the best kind in the second half of the range wins; kinds in this order: after strong punctuation
// (; : ! ? dashes, full-width stops), after a comma, beside white space, where the script changes or after a hyphen or
// slash. If the second half has none, the last place of the first three kinds in the first half. If there is none
// either, the last border of two visible clusters (combining marks, joiners, conjuncts, Hangul syllables and flags stay
// whole); then any character's border. Blanks after punctuation stay with the first part when they fit.
// Never inside a UTF-8 sequence, except when max_bytes is smaller than the first character: then the cut is after that
// character (beyond max_bytes; the result is never 0). An empty sentence gives 0. Ill-formed bytes count as characters.
// Deterministic; time linear in max_bytes; does not allocate.
size_t best_cut(std::string_view sentence, size_t max_bytes);

}  // namespace dragoman::text
