// Text as SentencePiece's models were trained on it: the model's replacement rules, user symbols kept verbatim, white
// space folded and escaped, a dummy space added (SentencePiece 0.2.3, normalizer.cc, is the behaviour to equal).
// Neighbours: first step of Tokenizer::encode; unigram, bpe and simple_segmenters cut what it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/tokenizer_tables.h"
#include "text/double_array.h"

namespace dragoman::text {

inline constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // U+2581

// Length of the longest of the symbols that `text` begins with, or 0. The caller bounds text: a damaged trie may walk
// on to its end.
size_t longest_user_symbol(const DoubleArray& symbols, std::string_view text);

struct PartState;  // of normalizer_parts.cc

// What lies beside a part of a text that is cut at added tokens.
struct PartPlace {
  bool first = true;        // the part begins the text: the only one that may get a prefix for the first part
  bool starts_text = true;  // trimming counts its start as the text's
  bool ends_text = true;    // and its end
};

// Immutable after creation, so any number of threads may use one. Refers to the tables' arrays.
class Normalizer {
 public:
  Normalizer() = default;
  // Precondition: the tables passed check_tables().
  explicit Normalizer(const TokenizerTables& tables);

  // Writes the normalized text to `out` and its size to `out_bytes`; false when `out` is too small.
  // Without replacement rules 3 * text.size() + 3 bytes are always enough.
  [[nodiscard]] bool normalize(std::string_view text, std::span<char> out, size_t& out_bytes) const;

  // Replaces each of `positions` (ascending offsets into the normalized form of `text`) by the offset in `text` of the
  // character that was being read when that byte was written. Positions at the end give the end of what was kept.
  void map_to_source(std::string_view text, std::span<uint32_t> positions) const;

  // The same for one part of a text, by TokenizerTables::space_rules. No dummy space stands in an empty result.
  [[nodiscard]] bool normalize_part(std::string_view part, PartPlace place, std::span<char> out,
                                    size_t& out_bytes) const;
  void map_part_to_source(std::string_view part, PartPlace place, std::span<uint32_t> positions) const;

 private:
  // What the text at some place turns into, and how many bytes of text that takes.
  struct Prefix {
    std::string_view output;
    size_t consumed = 0;
  };

  template <typename Sink>
  bool run(std::string_view text, Sink& sink) const;
  template <typename Sink>
  bool put(const Prefix& prefix, size_t at, bool& after_space, Sink& sink) const;
  template <typename Sink>
  bool run_part(std::string_view part, PartPlace place, Sink& sink) const;
  template <typename Sink>
  bool put_part(std::string_view output, size_t at, bool verbatim, PartState& state, Sink& sink) const;
  bool is_trimmed(char32_t character) const;
  size_t solid_bytes(std::string_view output) const;
  std::string_view without_blanks(std::string_view output) const;
  size_t plain_run(std::string_view text, size_t at) const;
  size_t skip_leading_spaces(std::string_view text) const;
  Prefix next(std::string_view text, size_t at) const;
  Prefix apply_rule(std::string_view text, size_t at) const;
  bool is_plain(unsigned char byte) const;

  DoubleArray rules_;
  DoubleArray user_symbols_;
  std::string_view replacements_;
  std::string_view space_;
  size_t max_symbol_bytes_ = 0;
  bool prefix_space_ = false;
  bool suffix_space_ = false;
  bool fold_spaces_ = false;
  uint32_t space_rules_ = 0;
  bool plain_[128] = {};  // passes unchanged whenever an ASCII byte or the end follows
};

}  // namespace dragoman::text
