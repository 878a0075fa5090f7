#include "pipeline/id_parts.h"

#include <algorithm>

namespace dragoman::pipeline {

Result<bool> IdParts::next(Part* part) {
  if (input_ == inputs_.count) return false;
  part->input = input_;
  if (at_end_ || inputs_.get(inputs_.context, input_).empty()) {
    part->ends_input = part->done = true;
    at_end_ = false;
    ++input_;
    return true;
  }
  DRAGOMAN_RETURN_IF_ERROR(copy_ids(part));
  at_end_ = true;
  return true;
}

Status IdParts::copy_ids(Part* part) const {
  const std::span<const int32_t> ids = inputs_.get(inputs_.context, input_);
  if (ids.size() > part->source_ids.size()) {
    return Status::error(Code::kLimit, "input %zu: found %zu ids, at most %zu fit max_source_tokens", input_,
                         ids.size(), part->source_ids.size());
  }
  const auto vocabulary = static_cast<int32_t>(model_.view().source_vocabulary());
  for (const int32_t id : ids) {
    if (id < 0 || id >= vocabulary) {
      return Status::error(Code::kInvalidArgument, "input %zu: id %d is outside the vocabulary of %d", input_, id,
                           vocabulary);
    }
  }
  std::copy(ids.begin(), ids.end(), part->source_ids.begin());
  part->num_source_ids = ids.size();
  part->num_suffix_ids = ids.back() == model_.view().generation().end_id ? 1 : 0;
  part->source_language = layout_.source_code;
  part->target_language = layout_.target_code;
  return Status();
}

}  // namespace dragoman::pipeline
