#include "pipeline/pair_parts.h"

#include "text/utf8.h"

namespace dragoman::pipeline {

Result<bool> PairParts::next(Part* part) {
  if (input_ == sources_.count) return false;
  part->input = input_;
  if (at_end_) {
    part->ends_input = part->done = true;
    at_end_ = false;
    ++input_;
    return true;
  }
  const std::string_view source = sources_.get(sources_.context, input_);
  const Side source_side{"source", model_.source_tokenizer(), buffers_.max_part_bytes, generation_.append_end};
  DRAGOMAN_ASSIGN_OR_RETURN(part->num_source_ids, encode(source_side, source, part->source_ids, part));
  if (part->num_source_ids == (generation_.append_end ? 1u : 0u)) {
    return Status::error(Code::kInvalidArgument, "input %zu: the source is empty", input_);
  }
  const Side target_side{"target", model_.target_tokenizer(), buffers_.max_target_bytes, true};
  DRAGOMAN_ASSIGN_OR_RETURN(part->num_target_ids,
                            encode(target_side, targets_.get(targets_.context, input_), part->ids_of(0), part));
  part->source_end = source.size();
  at_end_ = true;
  return true;
}

Result<size_t> PairParts::encode(const Side& side, std::string_view text, std::span<int32_t> ids, Part* part) const {
  if (text.size() > side.max_bytes) {
    return Status::error(Code::kLimit, "input %zu: %s of %zu bytes, at most %zu fit", input_, side.name, text.size(),
                         side.max_bytes);
  }
  const text::Sanitized repaired = text::sanitize(text, buffers_.repaired);
  if (repaired.num_replaced > 0) {
    part->num_replaced += repaired.num_replaced;
    part->flags |= kReplacedInvalid;
    text = std::string_view(buffers_.repaired.data(), repaired.bytes);
  }
  text::EncodeBuffers buffers;
  buffers.scratch = buffers_.tokenizer;
  buffers.ids = ids.first(ids.size() - (side.append_end ? 1 : 0));
  const Result<text::Encoded> encoded = side.tokenizer.encode(text, buffers);
  if (!encoded.ok()) {
    return Status::error(encoded.status().code(), "input %zu: %s: %s", input_, side.name, encoded.status().message());
  }
  size_t num_ids = encoded.value().num_ids;
  if (side.append_end) ids[num_ids++] = generation_.end_id;
  return num_ids;
}

}  // namespace dragoman::pipeline
