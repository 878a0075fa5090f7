// Neighbours: part_reader.h.
#include "text/part_reader.h"

#include <algorithm>

#include "text/char_class.h"
#include "text/utf8.h"

namespace dragoman::text {

PartReader::PartReader(const TokenizerTables& tables, std::string_view text)
    : tables_(tables), tokens_(tables.added_trie), text_(text) {
  if (tokens_.empty()) return;
  find_before_normalization(0);
  has_match_ = find_match(0, &match_);
}

size_t PartReader::white_space_before(size_t begin, size_t end) const {
  while (end > begin) {
    const Decoded character = decode_before(text_, end);
    if (!is_white_space(character.code_point)) break;
    end -= character.bytes;
  }
  return std::max(begin, end);
}

size_t PartReader::white_space_after(size_t begin) const {
  while (begin < text_.size()) {
    const Decoded character = decode_one(text_, begin);
    if (!is_white_space(character.code_point)) break;
    begin += character.bytes;
  }
  return begin;
}

// Bytes of the longest token that begins at `begin` and does not reach beyond `end`; 0: none.
size_t PartReader::longest_token(size_t begin, size_t end, bool normalized, uint32_t* token) {
  size_t longest = 0;
  uint32_t unit = DoubleArray::kRoot;
  const size_t stop = std::min(end, begin + kMaxAddedTokenBytes);
  for (size_t i = begin; i < stop; ++i) {
    ++num_steps_;
    unit = tokens_.step(unit, static_cast<unsigned char>(text_[i]));
    if (unit == DoubleArray::kNone) break;
    const uint32_t index = tokens_.value(unit);
    if (index == DoubleArray::kNone) continue;
    const uint32_t found = tables_.added_tokens[index];
    if (((found & kAddedAfterNormalization) != 0) != normalized) continue;
    *token = found;
    longest = i + 1 - begin;
  }
  return longest;
}

void PartReader::find_before_normalization(size_t from) {
  first_ = {text_.size(), text_.size(), 0};
  for (size_t begin = from; begin < text_.size(); ++begin) {
    const size_t bytes = longest_token(begin, text_.size(), false, &first_.token);
    if (bytes == 0) continue;
    first_.begin = begin;
    first_.end = begin + bytes;
    return;
  }
}

bool PartReader::find_match(size_t from, Match* match) {
  for (size_t begin = from; begin < text_.size(); ++begin) {
    if (first_.begin < begin) find_before_normalization(begin);
    *match = first_;
    if (first_.begin > begin) {
      const size_t bytes = longest_token(begin, first_.begin, true, &match->token);
      if (bytes == 0) continue;
      match->begin = begin;
      match->end = begin + bytes;
    }
    if ((match->token & kAddedTakesSpacesBefore) != 0) match->begin = white_space_before(from, begin);
    if ((match->token & kAddedTakesSpacesAfter) != 0) match->end = white_space_after(match->end);
    return true;
  }
  return false;
}

bool PartReader::next(Part* part) {
  if (at_ >= text_.size()) return false;
  const bool ends_text = !has_match_ || (match_.token & kAddedAfterNormalization) == 0;
  if (!has_match_ || match_.begin > at_) {
    const size_t end = has_match_ ? match_.begin : text_.size();
    *part = {at_, end - at_, -1, {at_ == 0, starts_text_, ends_text}};
    at_ = end;
    return true;
  }
  *part = {match_.begin, match_.end - match_.begin, static_cast<int32_t>(match_.token >> 8), {}};
  starts_text_ = ends_text;
  at_ = match_.end;
  has_match_ = find_match(at_, &match_);
  return true;
}

}  // namespace dragoman::text
