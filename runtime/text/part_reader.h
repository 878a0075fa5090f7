// Cuts a text at the added tokens of its tokenizer: the first step of encoding in parts.
// Neighbours: Tokenizer::encode walks the parts; the normalizer takes those that are text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/tokenizer_tables.h"
#include "text/double_array.h"
#include "text/normalizer.h"

namespace dragoman::text {

// A stretch of the text: an added token, or text between such.
struct Part {
  size_t begin = 0;
  size_t bytes = 0;
  int32_t token = -1;  // piece of the added token; -1: text
  PartPlace place;     // of text
};

// Leftmost tokens first, the longest of those; what is matched after normalization only takes what the others leave.
// Linear in the text: at each byte the trie is walked at most twice, each time for at most kMaxAddedTokenBytes steps.
class PartReader {
 public:
  // Precondition: the tables passed check_tables().
  PartReader(const TokenizerTables& tables, std::string_view text);

  // The next part that is not empty; false at the end.
  bool next(Part* part);

  // Steps in the trie so far.
  size_t num_steps() const { return num_steps_; }

 private:
  struct Match {
    size_t begin = 0;
    size_t end = 0;
    uint32_t token = 0;  // element of added_tokens
  };

  size_t longest_token(size_t begin, size_t end, bool normalized, uint32_t* token);
  // Sets first_, for positions from `from` on.
  void find_before_normalization(size_t from);
  bool find_match(size_t from, Match* match);
  // Where the white space begins that ends at `end`, but not before `begin`.
  size_t white_space_before(size_t begin, size_t end) const;
  size_t white_space_after(size_t begin) const;

  const TokenizerTables& tables_;
  DoubleArray tokens_;
  std::string_view text_;
  size_t at_ = 0;            // where the next part begins
  bool starts_text_ = true;  // what lies before it counts as the text's start
  bool has_match_ = false;   // match_ is the next part, or the one after it
  Match match_;
  Match first_;  // the next token that is matched before normalization, not before find_match's place; at the end: none
  size_t num_steps_ = 0;
};

}  // namespace dragoman::text
