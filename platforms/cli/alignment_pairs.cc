// Neighbours: alignment_pairs.h.
#include "alignment_pairs.h"

namespace dragoman::cli {

void AlignmentPairs::add(const std::vector<int32_t>& source_ids, const std::vector<int32_t>& ids,
                         const std::vector<int32_t>& alignment) {
  for (size_t j = 0; j < alignment.size(); ++j) {
    const auto i = static_cast<size_t>(alignment[j]);
    if (ids[j] == end_id_ || source_ids[i] == end_id_) continue;
    text_ += (text_.empty() ? "" : " ") + std::to_string(source_tokens_ + i) + "-" + std::to_string(target_tokens_ + j);
  }
  source_tokens_ += without_end(source_ids);
  target_tokens_ += without_end(ids);
}

size_t AlignmentPairs::without_end(const std::vector<int32_t>& ids) const {
  return ids.size() - (!ids.empty() && ids.back() == end_id_ ? 1 : 0);
}

}  // namespace dragoman::cli
