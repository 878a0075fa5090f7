// From a text to moments, and from two models to a loss.
// Neighbours: calibration.h.
#include "converter/calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "converter/chrf.h"
#include "converter/formats/mapped_file.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

// Share of the mean that every column gets.
constexpr double kFloor = 0.01;

Result<std::vector<std::string>> read_lines(const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  std::string_view rest(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

// Empty when nothing is known of the value, or all of it was 0.
std::vector<float> relative_moments(const ColumnMoments& moments, const std::string& value) {
  const auto at = moments.find(value);
  if (at == moments.end()) return {};
  double sum = 0;
  for (const float square : at->second) sum += static_cast<double>(square);
  const double mean = sum / static_cast<double>(at->second.size());
  if (!(mean > 0) || !std::isfinite(mean)) return {};
  std::vector<float> result;
  for (const float square : at->second) {
    result.push_back(static_cast<float>(static_cast<double>(square) / mean + kFloor));
  }
  return result;
}

// Walks the nodes of all programs for weights, the values that they multiply, and tables that are looked up.
class WeightInputs {
 public:
  explicit WeightInputs(const schema::ModelT& model) : model_(model) {
    const schema::ProgramT* previous = nullptr;
    for (const auto* program : {model.graph->encode.get(), model.graph->begin.get(), model.graph->step.get()}) {
      if (program == nullptr) continue;
      for (const auto& node : program->nodes) visit(*program, previous, *node);
      previous = program;
    }
  }

  Importance importance(const ColumnMoments& moments) const {
    Importance result;
    for (const auto& [weight, value] : inputs_) {
      std::vector<float> columns = relative_moments(moments, value);
      if (columns.empty()) continue;
      const bool looked_up = std::find(tables_.begin(), tables_.end(), weight) != tables_.end();
      for (float& column : columns) column = looked_up ? (column + 1) / 2 : column;
      result[weight] = std::move(columns);
    }
    return result;
  }

 private:
  void visit(const schema::ProgramT& program, const schema::ProgramT* previous, const schema::NodeT& node) {
    switch (node.op.type) {
      case schema::Op::Linear: add(program, previous, node, node.op.AsLinear()->weight); break;
      case schema::Op::Logits: add(program, previous, node, node.op.AsLogits()->weight); break;
      case schema::Op::Embed: tables_.push_back(model_.tensors[node.op.AsEmbed()->table]->name); break;
      default: break;
    }
  }

  // A program's input is the output of the one before it, under whose name it was computed.
  void add(const schema::ProgramT& program, const schema::ProgramT* previous, const schema::NodeT& node,
           uint32_t weight) {
    const uint32_t input = node.inputs.front();
    const bool handed_over = previous != nullptr && program.input >= 0 && input == static_cast<uint32_t>(program.input);
    inputs_[model_.tensors[weight]->name] =
        handed_over ? previous->values[static_cast<size_t>(previous->output)]->name : program.values[input]->name;
  }

  const schema::ModelT& model_;
  std::map<std::string, std::string> inputs_;  // weight -> value
  std::vector<std::string> tables_;
};

}  // namespace

Result<Calibration> calibrate(const std::string& path, const std::string& text, const TrialLanguages& languages) {
  Calibration result;
  result.languages = languages;
  DRAGOMAN_ASSIGN_OR_RETURN(result.lines, read_lines(text));
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<Trial> trial, Trial::open(path, languages));
  DRAGOMAN_ASSIGN_OR_RETURN(result.translation, trial->translate(result.lines, &result.moments));
  if (result.translation.sentences.empty()) {
    return Status::error(Code::kInvalidArgument, "%s: holds no sentence to calibrate with", text.c_str());
  }
  DRAGOMAN_ASSIGN_OR_RETURN(result.log_probs, trial->score(result.translation.sentences));
  return result;
}

Importance weight_importance(const schema::ModelT& model, const ColumnMoments& moments) {
  return WeightInputs(model).importance(moments);
}

Result<LossReport> measure_loss(const std::string& path, const Calibration& calibration) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<Trial> trial, Trial::open(path, calibration.languages));
  DRAGOMAN_ASSIGN_OR_RETURN(const TrialTranslation translation, trial->translate(calibration.lines, nullptr));
  DRAGOMAN_ASSIGN_OR_RETURN(const auto log_probs, trial->score(calibration.translation.sentences));
  LossReport report;
  report.lines = calibration.lines.size();
  Chrf chrf;
  for (size_t i = 0; i < calibration.lines.size(); ++i)
    chrf.add(translation.lines[i], calibration.translation.lines[i]);
  report.chrf = chrf.score();
  double sum = 0;
  for (size_t i = 0; i < log_probs.size(); ++i) {
    const size_t tokens = std::min(log_probs[i].size(), calibration.log_probs[i].size());
    for (size_t t = 0; t < tokens; ++t) {
      const double drift =
          std::fabs(static_cast<double>(log_probs[i][t]) - static_cast<double>(calibration.log_probs[i][t]));
      sum += drift;
      report.max_log_prob_drift = std::max(report.max_log_prob_drift, drift);
      ++report.tokens;
    }
  }
  if (report.tokens > 0) report.mean_log_prob_drift = sum / static_cast<double>(report.tokens);
  return report;
}

}  // namespace dragoman::converter
