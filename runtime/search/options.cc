#include "search/options.h"

#include <algorithm>

namespace dragoman::search {

namespace {

// False for NaN.
Status check_number(const char* name, float value, float lowest, float highest) {
  if (value >= lowest && value <= highest) return Status();
  return Status::error(Code::kInvalidArgument, "%s: found %g, expected %g to %g", name, static_cast<double>(value),
                       static_cast<double>(lowest), static_cast<double>(highest));
}

Status check_count(const char* name, size_t value, size_t lowest, size_t highest) {
  if (value >= lowest && value <= highest) return Status();
  return Status::error(Code::kInvalidArgument, "%s: found %zu, expected %zu to %zu", name, value, lowest, highest);
}

Status check_sampling(const Sampling& sampling) {
  constexpr float kLowestTemperature = 1e-3f;
  constexpr float kLowestTopP = 1e-6f;
  DRAGOMAN_RETURN_IF_ERROR(check_number("temperature", sampling.temperature, kLowestTemperature, model::kMaxPenalty));
  DRAGOMAN_RETURN_IF_ERROR(check_number("top_p", sampling.top_p, kLowestTopP, 1));
  return check_number("min_p", sampling.min_p, 0, 1);
}

}  // namespace

Status check(const SearchOptions& options, const SearchLimits& limits) {
  const bool sampling = options.sampling.enabled;
  if (!sampling) DRAGOMAN_RETURN_IF_ERROR(check_count("beam", options.beam_size, 1, limits.max_beam));
  if (sampling) DRAGOMAN_RETURN_IF_ERROR(check_sampling(options.sampling));
  const size_t most = std::min(sampling ? limits.max_beam : options.beam_size, limits.max_hypotheses);
  DRAGOMAN_RETURN_IF_ERROR(check_count("n_best", options.num_hypotheses, 1, most));
  constexpr float kMax = model::kMaxPenalty;
  DRAGOMAN_RETURN_IF_ERROR(check_number("length_penalty", options.length_penalty, -kMax, kMax));
  DRAGOMAN_RETURN_IF_ERROR(check_number("word_penalty", options.word_penalty, -kMax, kMax));
  DRAGOMAN_RETURN_IF_ERROR(check_number("coverage_penalty", options.coverage_penalty, 0, kMax));
  if (options.need_attention() && limits.source_length == 0) {
    return Status::error(Code::kInvalidArgument, "%s: needs a session created with attention",
                         options.keep_attention ? "attention" : "coverage_penalty");
  }
  DRAGOMAN_RETURN_IF_ERROR(check_number("repetition_penalty", options.constraints.repetition_penalty, 1 / kMax, kMax));
  if (!options.need_logits() || limits.vocabulary > 0) return Status();
  return Status::error(Code::kInvalidArgument, "%s: needs a session created with full_logits",
                       options.sampling.enabled ? "sampling"
                       : options.score_forced   ? "scoring"
                                                : "constraints");
}

}  // namespace dragoman::search
