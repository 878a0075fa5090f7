#include "pipeline/text_parts.h"

#include <algorithm>

#include "text/char_class.h"
#include "text/cut.h"
#include "text/utf8.h"

namespace dragoman::pipeline {

namespace {

// Bytes of text per source id beyond which a part surely has too many ids; only bounds the buffers.
constexpr size_t kMaxBytesPerId = 16;

// `text` without the blanks at its end.
size_t trimmed_size(std::string_view text) {
  size_t size = text.size();
  while (size > 0) {
    const text::Decoded last = text::decode_before(text, size);
    if (!last.valid || !text::is_blank(last.code_point)) break;
    size -= last.bytes;
  }
  return size;
}

size_t leading_blanks(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const text::Decoded first = text::decode_one(text, at);
    if (!first.valid || !text::is_blank(first.code_point)) break;
    at += first.bytes;
  }
  return at;
}

bool is_blank(std::string_view text) { return leading_blanks(text) == text.size(); }

}  // namespace

void TextBuffers::carve(const Model& model, size_t max_source_length, size_t max_target_length, Arena* arena) {
  max_part_bytes = saturating_product(max_source_length, kMaxBytesPerId);
  max_target_bytes = saturating_product(max_target_length, kMaxBytesPerId);
  const size_t source_scratch = model.source_tokenizer().scratch_bytes(max_part_bytes);
  const size_t target_scratch = max_target_length == 0 ? 0 : model.target_tokenizer().scratch_bytes(max_target_bytes);
  repaired = arena->carve<char>(saturating_product(3, std::max(max_part_bytes, max_target_bytes)));
  tokenizer = arena->carve<std::byte>(std::max(source_scratch, target_scratch));
}

Result<std::span<int32_t>> room_between(std::span<const int32_t> prefix, std::span<const int32_t> suffix,
                                        std::span<int32_t> ids, const char* limit) {
  if (prefix.size() + suffix.size() < ids.size()) {
    return ids.subspan(prefix.size(), ids.size() - prefix.size() - suffix.size());
  }
  return Status::error(Code::kInvalidArgument, "%s: %zu leave no room between the %zu around a text", limit, ids.size(),
                       prefix.size() + suffix.size());
}

size_t surround(std::span<const int32_t> prefix, std::span<const int32_t> suffix, size_t num_text_ids,
                std::span<int32_t> ids) {
  std::copy(prefix.begin(), prefix.end(), ids.begin());
  const size_t end = prefix.size() + num_text_ids;
  std::copy(suffix.begin(), suffix.end(), ids.begin() + static_cast<ptrdiff_t>(end));
  return end + suffix.size();
}

Result<size_t> take_target(const Model& model, std::string_view text, size_t input, SequenceLayout* layout) {
  const TextTarget target = target_of_text(text);
  if (target.name.empty()) {
    if (!layout->needs_target || is_blank(text)) return 0;
    const model::LanguageInfo first = language(model.view(), Side::kTarget, 0);
    return Status::error(Code::kInvalidArgument,
                         "input %zu: missing target language: name it, or begin the text with it, as in >>%s<<", input,
                         first.name[0] != '\0' ? first.name : first.code);
  }
  const Status status = set_target(model, target.name, layout);
  if (!status.ok()) return Status::error(status.code(), "input %zu: %s", input, status.message());
  return target.end;
}

TextParts::TextParts(const Model& model, const SequenceLayout& layout, const TextInputs& inputs,
                     bool one_sentence_per_input, const TextBuffers& buffers)
    : model_(model),
      call_layout_(layout),
      layout_(layout),
      inputs_(inputs),
      buffers_(buffers),
      splitter_(text::SplitOptions{layout.source_code, {}, !one_sentence_per_input}) {}

Result<bool> TextParts::next(Part* part) {
  if (input_ == inputs_.count) return false;
  part->input = input_;
  if (!started_) DRAGOMAN_RETURN_IF_ERROR(start_input());
  if (sentence_.empty()) {
    sentence_ = splitter_.next(text_, position_);
    position_ = sentence_.next;
    cut_ = false;
  }
  if (sentence_.empty()) {
    take_end(part);
  } else {
    DRAGOMAN_RETURN_IF_ERROR(take_part(part));
  }
  return true;
}

Status TextParts::start_input() {
  text_ = inputs_.get(inputs_.context, input_);
  gap_begin_ = position_ = 0;
  sentence_ = {};
  started_ = true;
  if (!call_layout_.target_in_text) return Status();
  layout_ = call_layout_;
  DRAGOMAN_ASSIGN_OR_RETURN(position_, take_target(model_, text_, input_, &layout_));
  gap_begin_ = position_;
  return Status();
}

void TextParts::take_end(Part* part) {
  part->ends_input = part->done = true;
  part->gap = text_.substr(gap_begin_);
  started_ = false;
  ++input_;
}

// Takes as much of the sentence as the limits allow. Each try is at most 5/8 of the one before.
Status TextParts::take_part(Part* part) {
  const std::string_view rest = text_.substr(sentence_.begin, sentence_.end - sentence_.begin);
  size_t bytes = rest.size();
  if (bytes > buffers_.max_part_bytes) bytes = text::best_cut(rest, buffers_.max_part_bytes);
  while (true) {
    Result<size_t> num_ids = encode_prefix(bytes, part);
    if (num_ids.ok()) {
      part->num_source_ids = num_ids.value();
      part->num_prefix_ids = layout_.prefix().size();
      part->num_suffix_ids = layout_.suffix().size();
      break;
    }
    if (num_ids.status().code() != Code::kLimit) return num_ids.status();
    const size_t smaller = text::best_cut(rest, std::max<size_t>(1, bytes * 5 / 8));
    if (smaller >= bytes) {
      return Status::error(Code::kLimit, "input %zu: a single character at byte %zu does not fit max_source_tokens",
                           part->input, sentence_.begin);
    }
    bytes = smaller;
  }
  part->source_language = layout_.source_code;
  part->target_language = layout_.target_code;
  const bool whole = bytes == rest.size();
  cut_ = cut_ || !whole;
  if (cut_) part->flags |= kCut;
  part->gap = text_.substr(gap_begin_, sentence_.begin - gap_begin_);
  part->source_begin = sentence_.begin;
  part->source_end = sentence_.begin + trimmed_size(rest.substr(0, bytes));
  gap_begin_ = part->source_end;
  sentence_.begin += bytes;
  if (!whole) sentence_.begin += leading_blanks(rest.substr(bytes));
  return Status();
}

// Ids of the first `bytes` bytes of the rest of the sentence, with what stands around them; kLimit when they are too
// many.
Result<size_t> TextParts::encode_prefix(size_t bytes, Part* part) {
  std::string_view source = text_.substr(sentence_.begin, bytes);
  const text::Sanitized repaired = text::sanitize(source, buffers_.repaired);
  part->num_replaced = repaired.num_replaced;
  part->flags = repaired.num_replaced > 0 ? uint32_t{kReplacedInvalid} : 0;
  if (repaired.num_replaced > 0) source = std::string_view(buffers_.repaired.data(), repaired.bytes);
  text::EncodeBuffers buffers;
  buffers.scratch = buffers_.tokenizer;
  DRAGOMAN_ASSIGN_OR_RETURN(buffers.ids,
                            room_between(layout_.prefix(), layout_.suffix(), part->source_ids, "max_source_tokens"));
  DRAGOMAN_ASSIGN_OR_RETURN(const text::Encoded encoded, model_.source_tokenizer().encode(source, buffers));
  return surround(layout_.prefix(), layout_.suffix(), encoded.num_ids, part->source_ids);
}

}  // namespace dragoman::pipeline
