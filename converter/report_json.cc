// The conversion's account for programs.
// Neighbours: ConvertReport in converter.h; report.cc writes the same for people.
#include <cmath>
#include <nlohmann/json.hpp>

#include "converter/converter.h"

namespace dragoman::converter {
namespace {

using nlohmann::json;

// Null for what is exact: JSON has no infinity.
json decibels(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json describe(const QuantizedWeight& weight) {
  json item = {{"name", weight.name},
               {"type", weight_type_name(weight.type)},
               {"shape", {weight.rows, weight.columns}},
               {"signal_to_noise_db", decibels(weight.signal_to_noise_db)}};
  if (weight.output_signal_to_noise_db.has_value()) {
    item["output_signal_to_noise_db"] = decibels(*weight.output_signal_to_noise_db);
  }
  return item;
}

json describe(const LossReport& loss) {
  return {{"lines", loss.lines},
          {"tokens", loss.tokens},
          {"chrf", loss.chrf},
          {"loss", loss.loss()},
          {"mean_log_prob_drift", loss.mean_log_prob_drift},
          {"max_log_prob_drift", loss.max_log_prob_drift}};
}

}  // namespace

std::string ConvertReport::json() const {
  nlohmann::json root = {{"model", model},
                         {"output", output},
                         {"family", family},
                         {"architecture", architecture},
                         {"source_tensors", num_source_tensors},
                         {"ignored_tensors", num_ignored_tensors},
                         {"tensors", num_tensors},
                         {"model_bytes", model_bytes},
                         {"payload_bytes", payload_bytes},
                         {"file_bytes", file_bytes},
                         {"kept_int8", num_kept_int8},
                         {"fused", fused},
                         {"weights", nlohmann::json::array()},
                         {"notes", notes}};
  for (const QuantizedWeight& weight : quantized) root["weights"].push_back(describe(weight));
  if (loss.has_value()) root["loss"] = describe(*loss);
  // Paths need not be UTF-8.
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace dragoman::converter
