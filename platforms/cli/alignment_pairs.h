// Which source token each target token attends to, as text: "0-0 1-2".
// Neighbours: translate shows it for translations, score for given ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::cli {

// Collects the pairs of one text's sentences; tokens are counted through them, end tokens left out.
class AlignmentPairs {
 public:
  explicit AlignmentPairs(int32_t end_id) : end_id_(end_id) {}

  // `alignment` has the index of a source id for each of `ids`.
  void add(const std::vector<int32_t>& source_ids, const std::vector<int32_t>& ids,
           const std::vector<int32_t>& alignment);
  const std::string& text() const { return text_; }

 private:
  size_t without_end(const std::vector<int32_t>& ids) const;

  int32_t end_id_;
  std::string text_;
  size_t source_tokens_ = 0, target_tokens_ = 0;  // of the sentences before
};

}  // namespace dragoman::cli
