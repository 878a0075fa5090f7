// chrF: agreement of texts by their character n-grams (Popović 2015, doi 10.18653/v1/W15-3049).
// Neighbours: loss.h compares the translations of two models with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::converter {

// Over all lines: n-grams of 1 to 6 characters, white space left out, recall counting twice as much as precision
// (beta 2); precision and recall are averaged over the lengths that occur on both sides. What sacrebleu 2 gives as
// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no".
class Chrf {
 public:
  // One line and its reference; UTF-8, whose damaged bytes count as characters.
  void add(std::string_view hypothesis, std::string_view reference);

  // 0 to 100; 0 when there is no n-gram to compare.
  double score() const;

 private:
  static constexpr size_t kMaxLength = 6;
  struct Counts {
    uint64_t hypothesis = 0, reference = 0, matches = 0;
  };

  std::array<Counts, kMaxLength> counts_ = {};
};

}  // namespace dragoman::converter
