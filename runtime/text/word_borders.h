// Where the words of a part end, for tokenizers that merge inside words only.
// Neighbours: ranked_bpe.cc walks from border to border; the classes of characters come with the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/tokenizer_tables.h"

namespace dragoman::text {

// Refers to the tables' arrays. Immutable.
class WordBorderFinder {
 public:
  WordBorderFinder() = default;
  // Precondition: the tables passed check_tables().
  explicit WordBorderFinder(const TokenizerTables& tables);

  // End of the word that begins at `at` < part.size(); more than `at`.
  size_t next(std::string_view part, size_t at) const;

 private:
  CharacterClass class_of(char32_t code_point) const;
  size_t skip(std::string_view part, size_t at, CharacterClass kind) const;
  size_t next_by_class(std::string_view part, size_t at) const;

  WordBorders borders_ = WordBorders::kNone;
  std::span<const uint32_t> classes_;
  CharacterClass ascii_[128] = {};
};

}  // namespace dragoman::text
