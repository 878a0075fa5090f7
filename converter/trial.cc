// Sessions, sinks and sums of squares.
// Neighbours: trial.h.
#include "converter/trial.h"

#include <algorithm>
#include <utility>

#include "dragoman/dragoman.hpp"
#include "dragoman/observe.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kBatch = 16;
constexpr size_t kChunk = 256;  // pairs scored in one call

// Running sums of squares of every value that passes.
class MomentGatherer {
 public:
  dragoman_observer observer() { return {this, &MomentGatherer::receive}; }

  // Sums over rows; numbers of rows are kept beside.
  ColumnMoments means() const {
    ColumnMoments result;
    for (const auto& [name, sums] : sums_) {
      std::vector<float>& means = result[name];
      for (const double sum : sums.squares) means.push_back(static_cast<float>(sum / static_cast<double>(sums.rows)));
    }
    return result;
  }

 private:
  struct Sums {
    std::vector<double> squares;
    uint64_t rows = 0;
  };

  static void receive(void* user, const char* name, const float* data, size_t rows, size_t width, size_t stride) {
    if (rows == 0) return;
    Sums& sums = static_cast<MomentGatherer*>(user)->sums_[name];
    sums.squares.resize(width);
    sums.rows += rows;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < width; ++i) {
        const double value = data[row * stride + i];
        sums.squares[i] += value * value;
      }
    }
  }

  std::map<std::string, Sums> sums_;
};

Status failed(const Error& error) { return Status::error(static_cast<Code>(error.code()), "%s", error.message()); }

dragoman_text text_of(const std::string& text) { return {text.data(), text.size()}; }

class OpenTrial final : public Trial {
 public:
  OpenTrial(Model model, Session session, TrialLanguages languages)
      : model_(std::move(model)), session_(std::move(session)), languages_(std::move(languages)) {}

  Result<TrialTranslation> translate(const std::vector<std::string>& lines, ColumnMoments* moments) override {
    std::vector<dragoman_text> inputs;
    inputs.reserve(lines.size());
    for (const std::string& line : lines) inputs.push_back(text_of(line));
    MomentGatherer gatherer;
    const dragoman_observer observer = gatherer.observer();
    if (moments != nullptr) dragoman_session_observe(session_.get(), &observer);
    TrialTranslation result;
    result.lines.resize(lines.size());
    const Error error = session_.translate(
        inputs.data(), inputs.size(), options(),
        [&](const Segment& segment) {
          if (segment.hypothesis > 0) return true;
          const std::string target(segment.text, segment.text_bytes);
          result.lines[segment.input].append(segment.gap_before, segment.gap_before_bytes).append(target);
          if ((segment.flags & DRAGOMAN_CUT) == 0 && !target.empty()) {
            const std::string& line = lines[segment.input];
            result.sentences.push_back(
                {line.substr(segment.source_begin, segment.source_end - segment.source_begin), target});
          }
          return true;
        },
        [](const InputEnd&) { return true; });
    dragoman_session_observe(session_.get(), nullptr);
    if (!error.ok()) return failed(error);
    if (moments != nullptr) *moments = gatherer.means();
    return result;
  }

  Result<std::vector<std::vector<float>>> score(const std::vector<SentencePair>& pairs) override {
    std::vector<std::vector<float>> scores(pairs.size());
    for (size_t begin = 0; begin < pairs.size(); begin += kChunk) {
      const size_t end = std::min(begin + kChunk, pairs.size());
      if (score_some(pairs, begin, end, &scores).ok()) continue;
      // One that does not fit fails alone.
      for (size_t i = begin; i < end; ++i) {
        const Error error = score_some(pairs, i, i + 1, &scores);
        if (error.ok()) continue;
        if (error.code() != DRAGOMAN_LIMIT) return failed(error);
        scores[i].clear();
      }
    }
    return scores;
  }

 private:
  TranslateOptions options() const {
    TranslateOptions options = Session::default_translate_options();
    const ModelInfo info = model_.info();
    if (info.num_source_languages > 1 && !languages_.source.empty())
      options.source_language = languages_.source.c_str();
    if (info.num_target_languages > 1 && !languages_.target.empty())
      options.target_language = languages_.target.c_str();
    return options;
  }

  Error score_some(const std::vector<SentencePair>& pairs, size_t begin, size_t end,
                   std::vector<std::vector<float>>* scores) {
    std::vector<dragoman_text> sources, targets;
    for (size_t i = begin; i < end; ++i) {
      sources.push_back(text_of(pairs[i].source));
      targets.push_back(text_of(pairs[i].target));
    }
    return session_.score(
        sources.data(), targets.data(), sources.size(), options(),
        [&](const Segment& segment) {
          (*scores)[begin + segment.input].assign(segment.log_probs, segment.log_probs + segment.num_ids);
          return true;
        },
        [](const InputEnd&) { return true; });
  }

  Model model_;
  Session session_;
  TrialLanguages languages_;
};

}  // namespace

Result<std::unique_ptr<Trial>> Trial::open(const std::string& path, const TrialLanguages& languages) {
  Expected<Model> model = Model::open(path);
  if (!model) return failed(model.error());
  SessionOptions options = Session::default_options();
  options.max_batch = kBatch;
  options.full_logits = true;
  Expected<Session> session = Session::create(*model, options);
  if (!session) return failed(session.error());
  return std::unique_ptr<Trial>(std::make_unique<OpenTrial>(std::move(*model), std::move(*session), languages));
}

}  // namespace dragoman::converter
