// What a sum of log-probabilities is worth at a length.
// Neighbours: beam search ranks by it; search.h sets it for a run.
#pragma once

#include <cstddef>
#include <span>

#include "base/arena.h"

namespace dragoman::search {

// Natural logarithm of a normal x > 0 in double precision, relative error below 1e-14, with the same bits everywhere.
double natural_log(double x);

// n to the power of `exponent` in double precision, relative error below 1e-14, by +, -, x and / alone, so the same
// bits everywhere. n >= 1; |exponent| <= 100; 0 and infinity beyond the range of double.
double power(size_t n, double exponent);

// (sum - word_penalty x length) / length ^ length_penalty. A length counts the end id. Marian's `normalize` and
// `word-penalty` (src/translator/history.h); Hugging Face's `length_penalty`, where the length counts what was
// generated, the start token not included (generation/utils.py, _update_finished_beams); CTranslate2's likewise.
class LengthPenalty {
 public:
  void carve(size_t max_length, Arena* arena) { powers_ = arena->carve<double>(saturating_sum(max_length, 1)); }

  // Fills the table, unless it is that of this exponent already.
  void set(float length_penalty, float word_penalty);

  // 1 <= length <= max_length.
  float rank(float sum, size_t length) const {
    const double penalized = static_cast<double>(sum) - word_penalty_ * static_cast<double>(length);
    return static_cast<float>(penalized / powers_[length]);
  }

 private:
  std::span<double> powers_;  // [max_length + 1] by length
  float exponent_ = 0;
  double word_penalty_ = 0;
  bool filled_ = false;
};

}  // namespace dragoman::search
