#include "engine/source_row_pool.h"

#include <algorithm>

namespace dragoman::engine {

void SourceRowPool::carve(size_t rows, size_t max_ranges, Arena* arena) {
  rows_ = rows;
  count_ = 0;
  ranges_ = arena->carve<Range>(max_ranges);
}

size_t SourceRowPool::take(size_t length) {
  size_t begin = 0;
  size_t at = 0;
  while (at < count_ && ranges_[at].begin - begin < length) begin = ranges_[at++].end;
  if (begin + length > rows_) return kNone;
  insert(at, begin, length);
  return begin;
}

size_t SourceRowPool::take_at(size_t begin, size_t length) {
  size_t at = 0;
  while (at < count_ && ranges_[at].begin < begin) ++at;
  insert(at, begin, length);
  return begin;
}

void SourceRowPool::insert(size_t at, size_t begin, size_t length) {
  std::move_backward(ranges_.begin() + at, ranges_.begin() + count_, ranges_.begin() + count_ + 1);
  ranges_[at] = {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + length)};
  ++count_;
}

void SourceRowPool::release(size_t begin) {
  const auto end = ranges_.begin() + count_;
  const auto found = std::find_if(ranges_.begin(), end, [begin](const Range& range) { return range.begin == begin; });
  if (found == end) return;
  std::move(found + 1, end, found);
  --count_;
}

size_t SourceRowPool::longest_free() const {
  size_t longest = 0;
  size_t begin = 0;
  for (size_t i = 0; i < count_; ++i) {
    longest = std::max<size_t>(longest, ranges_[i].begin - begin);
    begin = ranges_[i].end;
  }
  return std::max(longest, rows_ - begin);
}

}  // namespace dragoman::engine
