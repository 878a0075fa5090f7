// The conversion's account as text.
// Neighbours: report.h, and ConvertReport in converter.h.
#include "converter/report.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace dragoman::converter {
namespace {

__attribute__((format(printf, 2, 3))) void append_line(std::string& text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char line[1024];
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
  text += '\n';
}

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

constexpr size_t kWorstShown = 5;

// ", 12 stored as int8, 3 as f16".
std::string counts_by_type(const std::vector<QuantizedWeight>& weights) {
  std::string text;
  for (const WeightType type : {WeightType::kInt8, WeightType::kInt4, WeightType::kF16}) {
    const auto count =
        std::count_if(weights.begin(), weights.end(), [type](const QuantizedWeight& w) { return w.type == type; });
    if (count > 0) text += ", " + std::to_string(count) + " made " + weight_type_name(type);
  }
  return text;
}

// The worst ones, worst first; or all, in the order of the file.
void append_weights(std::string& text, std::vector<QuantizedWeight> weights, bool all) {
  const size_t total = weights.size();
  if (!all && total > kWorstShown) {
    std::stable_sort(weights.begin(), weights.end(), [](const QuantizedWeight& a, const QuantizedWeight& b) {
      return a.signal_to_noise_db < b.signal_to_noise_db;
    });
    weights.resize(kWorstShown);
  }
  for (const QuantizedWeight& weight : weights) {
    std::string output;
    if (weight.output_signal_to_noise_db.has_value()) {
      char shown[64];
      std::snprintf(shown, sizeof(shown), ", of its outputs %.1f dB", *weight.output_signal_to_noise_db);
      output = shown;
    }
    append_line(text, "%-11s %s [%llu, %llu]: signal to noise %.1f dB%s", weight_type_name(weight.type),
                weight.name.c_str(), static_cast<unsigned long long>(weight.rows),
                static_cast<unsigned long long>(weight.columns), weight.signal_to_noise_db, output.c_str());
  }
  if (weights.size() < total) append_line(text, "            … the worst %zu of %zu", weights.size(), total);
}

void append_loss(std::string& text, const LossReport& loss) {
  append_line(text, "loss        chrF %.2f between its translations of %llu lines and those of f32: %.2f lost",
              loss.chrf, static_cast<unsigned long long>(loss.lines), loss.loss());
  append_line(text, "drift       log-probabilities of %llu tokens: mean |difference| %.4f, largest %.4f",
              static_cast<unsigned long long>(loss.tokens), loss.mean_log_prob_drift, loss.max_log_prob_drift);
}

}  // namespace

Status Problems::status(const std::string& where) const {
  if (empty()) return Status();
  std::string text = where + ": ";
  text += items_.size() == 1 ? "" : std::to_string(items_.size()) + " problems: ";
  for (const std::string& item : items_) text += (&item == &items_.front() ? "" : "; ") + item;
  return Status::error(Code::kUnsupported, "%s", text.c_str());
}

std::string ConvertReport::text(bool all_weights) const {
  std::string text;
  append_line(text, "%s -> %s", model.c_str(), output.c_str());
  append_line(text, "family      %s: %s", family.c_str(), architecture.c_str());
  append_line(text, "tensors     %llu read, %llu without use at run time left out, %llu stored",
              static_cast<unsigned long long>(num_source_tensors), static_cast<unsigned long long>(num_ignored_tensors),
              static_cast<unsigned long long>(num_tensors));
  append_line(text, "size        %.2f MB: description %.1f kB, payload %.2f MB", megabytes(file_bytes),
              megabytes(model_bytes) * 1e3, megabytes(payload_bytes));
  append_line(text, "weights     %llu kept their int8 values%s", static_cast<unsigned long long>(num_kept_int8),
              counts_by_type(quantized).c_str());
  for (const std::string& line : fused) append_line(text, "fused       %s", line.c_str());
  append_weights(text, quantized, all_weights);
  if (loss.has_value()) append_loss(text, *loss);
  for (const std::string& note : notes) append_line(text, "note        %s", note.c_str());
  return text;
}

}  // namespace dragoman::converter
