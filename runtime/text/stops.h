// Sentence-final punctuation: which characters are stops, and what clings to one.
// Neighbours: the sentence splitter asks for clusters, full_stop.h judges the single full stop.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

enum class Stop {
  kNone,
  kDot,       // '.', which may also mark an abbreviation, a number or an initial
  kMark,      // question and exclamation marks, Greek question mark and raised dot
  kEllipsis,  // U+2026, U+2025
  kStrong,    // stops that end a sentence even without white space: full width, danda, Arabic, Ethiopic, Khmer...
};

// What the character `c` at `at` is; the character before it decides for ';' and the raised dot, which are stops after
// Greek letters only.
Stop stop_at(std::string_view text, size_t at, char32_t c);

// A run of stops with the closing quotes, brackets, emphasis marks and footnote numbers stuck to it.
struct StopCluster {
  size_t first = 0;         // offset of the first stop
  size_t end = 0;           // just after the last character that belongs to the sentence
  Stop kind = Stop::kNone;  // the last stop's
  size_t num_stops = 0;
  size_t num_closers = 0;
  size_t num_quotes = 0;  // how many of the closers are '"'
};

// Reads the cluster whose first stop is at `at`. `open_quote`: an odd number of '"' stands before it in the sentence.
StopCluster read_cluster(std::string_view text, size_t at, bool open_quote);

// Offset of the first character at or after `at` that is no blank; `*has_space` tells whether white space was passed.
size_t skip_blanks(std::string_view text, size_t at, bool* has_space);

// What stands after the gap behind a stop.
enum class Follow {
  kLower,         // a lower-case word: the sentence goes on
  kContinuation,  // a comma, another stop, an operator: the sentence goes on
  kDigit,
  kOther,  // a capital, a letter without case, a symbol
};

struct Following {
  Follow kind = Follow::kOther;
  size_t word = 0;  // offset of the first character after opening quotes, brackets, dashes and bullets
};

// Classifies the text from `at` (no blank there; at < text.size()).
Following read_following(std::string_view text, size_t at);

// Comma, colon, semicolon, stop or closing bracket: never the first character of a sentence.
bool is_continuation(char32_t c);

}  // namespace dragoman::text
