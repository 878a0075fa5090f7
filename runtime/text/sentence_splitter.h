// Finds where one sentence ends and the next begins, one sentence a call, without changing or copying the text.
// Neighbours: the pipeline walks a line with it; stops.h finds the stops, abbreviations.h knows the words before them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "text/abbreviations.h"
#include "text/stops.h"

namespace dragoman::text {

struct SplitOptions {
  // Language tag of the text ("pt", "pt-BR"); empty or unknown: English conventions.
  std::string_view language = {};
  // The caller's abbreviations, byte for byte, with their stops: "Foobar.", "z. B.", "Yahoo!". A missing final stop is
  // supplied. No sentence ends inside or after one. Borrowed; must outlive the splitter.
  std::span<const std::string_view> extra_abbreviations = {};
  // False: the whole text without the blanks around it is one sentence.
  bool enabled = true;
};

// The sentence is [begin, end), the blanks after it are [end, next). Blanks: is_blank() of char_class.h.
struct Sentence {
  size_t begin = 0;
  size_t end = 0;
  size_t next = 0;

  bool empty() const { return begin == end; }
};

// Rule based: stops of all major scripts, with closing quotes and brackets kept on the sentence; abbreviations,
// initials, ordinals, list numbers and lower-case continuation do not split; in doubt it does not split.
// A line break always ends a sentence, so that a text keeps its lines.
// Immutable and without memory of its own: one object may serve many threads. Never allocates.
class SentenceSplitter {
 public:
  explicit SentenceSplitter(const SplitOptions& options = {});

  // The sentence that starts at or after `position`, which is 0 or the last call's `next`. The blanks
  // [position, begin), the sentences and the gaps together are the text, byte for byte. An empty sentence at the end of
  // the text means that there is none left. Any bytes are allowed, ill-formed UTF-8 and NUL too.
  // A walk over a text takes time linear in its size (times the size of the caller's list, if there is one).
  Sentence next(std::string_view text, size_t position) const;

 private:
  bool ends_sentence(std::string_view text, size_t begin, const StopCluster& cluster) const;

  const LanguageRules* rules_;
  std::span<const std::string_view> extra_abbreviations_;
  bool enabled_;
};

}  // namespace dragoman::text
