// A calibration text at work: what the f32 model does with it, which inputs its weights see, what a smaller file loses.
// Neighbours: convert.cc calls it; trial.h runs the models, chrf.h compares texts.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "converter/converter.h"
#include "converter/graph/weights.h"
#include "converter/trial.h"

namespace dragoman::schema {
struct ModelT;
}

namespace dragoman::converter {

// What the f32 model makes of the text.
struct Calibration {
  TrialLanguages languages;
  std::vector<std::string> lines;
  TrialTranslation translation;
  std::vector<std::vector<float>> log_probs;  // of its own sentences' tokens
  ColumnMoments moments;
};

// Reads the lines of the file `text` and translates them with the model file `path`, whose weights are f32. Errors name
// the file; a text without a line that the model translates is kInvalidArgument.
Result<Calibration> calibrate(const std::string& path, const std::string& text, const TrialLanguages& languages);

// For every weight of a Linear or of the logits, the mean squares of its inputs, in units of their mean; a hundredth of
// the mean is added to each, so that no column counts for nothing on other texts. A table that also gives embeddings
// gets the mean of that and of 1, as it is read both ways. `model` is the description of the file that was calibrated.
Importance weight_importance(const schema::ModelT& model, const ColumnMoments& moments);

// Compares the model file `path` with the calibrated one: both translate, and the f32 sentences are forced on both.
Result<LossReport> measure_loss(const std::string& path, const Calibration& calibration);

}  // namespace dragoman::converter
