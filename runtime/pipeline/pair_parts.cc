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
  DRAGOMAN_RETURN_IF_ERROR(encode_pair(part));
  at_end_ = true;
  return true;
}

Status PairParts::encode_pair(Part* part) {
  std::string_view source = sources_.get(sources_.context, input_);
  part->source_end = source.size();
  SequenceLayout layout = layout_;
  if (layout.target_in_text) {
    DRAGOMAN_ASSIGN_OR_RETURN(part->source_begin, take_target(model_, source, input_, &layout));
    source.remove_prefix(part->source_begin);
  }
  part->source_language = layout.source_code;
  part->target_language = layout.target_code;
  part->num_prefix_ids = layout.prefix().size();
  part->num_suffix_ids = layout.suffix().size();
  const std::span<const int32_t> forced = forced_ids(model_, layout);
  part->num_forced_ids = forced.size();
  const Recipe from{"source",        "max_source_tokens", model_.source_tokenizer(), buffers_.max_part_bytes,
                    layout.prefix(), layout.suffix()};
  DRAGOMAN_ASSIGN_OR_RETURN(part->num_source_ids, encode(from, source, part->source_ids, part));
  if (part->is_empty()) return Status::error(Code::kInvalidArgument, "input %zu: the source is empty", input_);
  const int32_t end[] = {model_.view().generation().end_id};
  const Recipe to{"target", "max_target_tokens", model_.target_tokenizer(), buffers_.max_target_bytes, forced, end};
  const std::string_view target = targets_.get(targets_.context, input_);
  DRAGOMAN_ASSIGN_OR_RETURN(part->num_target_ids, encode(to, target, part->ids_of(0), part));
  return Status();
}

Result<size_t> PairParts::encode(const Recipe& recipe, std::string_view text, std::span<int32_t> ids,
                                 Part* part) const {
  if (text.size() > recipe.max_bytes) {
    return Status::error(Code::kLimit, "input %zu: %s of %zu bytes, at most %zu fit", input_, recipe.name, text.size(),
                         recipe.max_bytes);
  }
  const text::Sanitized repaired = text::sanitize(text, buffers_.repaired);
  if (repaired.num_replaced > 0) {
    part->num_replaced += repaired.num_replaced;
    part->flags |= kReplacedInvalid;
    text = std::string_view(buffers_.repaired.data(), repaired.bytes);
  }
  text::EncodeBuffers buffers;
  buffers.scratch = buffers_.tokenizer;
  DRAGOMAN_ASSIGN_OR_RETURN(buffers.ids, room_between(recipe.prefix, recipe.suffix, ids, recipe.limit));
  const Result<text::Encoded> encoded = recipe.tokenizer.encode(text, buffers);
  if (!encoded.ok()) {
    return Status::error(encoded.status().code(), "input %zu: %s: %s", input_, recipe.name, encoded.status().message());
  }
  return surround(recipe.prefix, recipe.suffix, encoded.value().num_ids, ids);
}

}  // namespace dragoman::pipeline
