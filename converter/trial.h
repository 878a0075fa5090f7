// A model file at work on a text, through the library's public interface: its translations, how likely it finds given
// ones, and what its layers take in.
// Neighbours: calibration.h runs the f32 model and the finished one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// A sentence and its translation by some model.
struct SentencePair {
  std::string source, target;
};

// The translation of a text, one input a line.
struct TrialTranslation {
  std::vector<std::string> lines;
  std::vector<SentencePair> sentences;  // those that were translated whole
};

// Mean square of each column of a value, over all its rows.
using ColumnMoments = std::map<std::string, std::vector<float>>;

// Between which languages a model of many translates. Empty: as the model says; models of one pair ignore both.
struct TrialLanguages {
  std::string source, target;
};

// An open model with one session. Searches as the model's defaults say.
class Trial {
 public:
  // Errors are the library's; they name `path`.
  static Result<std::unique_ptr<Trial>> open(const std::string& path, const TrialLanguages& languages);
  virtual ~Trial() = default;

  // With `moments`, they are gathered from every value of the network that is computed in f32.
  virtual Result<TrialTranslation> translate(const std::vector<std::string>& lines, ColumnMoments* moments) = 0;
  // The log-probability of every target token of each pair, when they are forced on the model; none for a pair that
  // exceeds the session's limits.
  virtual Result<std::vector<std::vector<float>>> score(const std::vector<SentencePair>& pairs) = 0;
};

}  // namespace dragoman::converter
