#include "engine/shortlist.h"

#include <algorithm>
#include <bit>

namespace dragoman::engine {

void Shortlist::carve(const model::ShortlistView& view, size_t target_vocabulary, Arena* arena) {
  view_ = view;
  vocabulary_ = target_vocabulary;
  longest_list_ = 0;
  required_ = -1;
  if (!view_.present()) return;
  for (size_t i = 0; i + 1 < view_.offsets.size(); ++i) {
    longest_list_ = std::max<size_t>(longest_list_, view_.offsets[i + 1] - view_.offsets[i]);
  }
  bits_ = arena->carve<uint64_t>((target_vocabulary + 63) / 64);
}

size_t Shortlist::max_ids(size_t max_source_length) const {
  if (!view_.present()) return 0;
  const size_t per_id = longest_list_ + (view_.copy_source ? 1 : 0);
  // The division guards the product; the set never exceeds the vocabulary.
  if (per_id > 0 && max_source_length > vocabulary_ / per_id) return vocabulary_;
  const size_t required = required_ >= 0 ? 1 : 0;
  return std::min(vocabulary_, view_.always + required + max_source_length * per_id + view_.multiple - 1);
}

size_t Shortlist::build(std::span<const int32_t> source_ids, std::span<int32_t> allowed) {
  std::fill(bits_.begin(), bits_.end(), 0);
  for (uint32_t id = 0; id < view_.always; ++id) add(id);
  if (required_ >= 0) add(static_cast<uint32_t>(required_));
  for (const int32_t source : source_ids) {
    const auto id = static_cast<uint32_t>(source);
    if (source < 0 || id + 1 >= view_.offsets.size()) continue;
    if (view_.copy_source) add(id);
    for (uint32_t i = view_.offsets[id]; i < view_.offsets[id + 1]; ++i) add(view_.ids[i]);
  }
  size_t count = 0;
  for (const uint64_t word : bits_) count += static_cast<size_t>(std::popcount(word));
  for (uint32_t id = view_.always; count % view_.multiple != 0 && id < vocabulary_; ++id) {
    if (contains(id)) continue;
    add(id);
    ++count;
  }
  size_t written = 0;
  for (size_t word = 0; word < bits_.size(); ++word) {
    for (uint64_t rest = bits_[word]; rest != 0 && written < allowed.size(); rest &= rest - 1) {
      allowed[written++] = static_cast<int32_t>(word * 64 + static_cast<size_t>(std::countr_zero(rest)));
    }
  }
  return written;
}

}  // namespace dragoman::engine
