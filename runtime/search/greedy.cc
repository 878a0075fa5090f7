#include "search/greedy.h"

#include <cmath>
#include <new>

namespace dragoman::search {

void GreedySearch::carve(size_t max_sentences, Arena* arena) {
  live_ = arena->carve<Live>(max_sentences);
  rows_ = arena->carve<engine::StepRow>(max_sentences);
  top_ = arena->carve<kernels::TopK>(max_sentences);
  count_ = 0;
}

void GreedySearch::start(const DecodeRequest& request) { new (&live_[count_++]) Live{request}; }

bool GreedySearch::take(const kernels::TopK& top, Live* live) {
  const int32_t id = top.ids[0];
  live->request.ids[live->num_ids++] = id;
  live->score += top.logits[0] - top.log_sum_exp;
  return id == live->request.end_id || live->num_ids == live->request.ids.size();
}

Result<size_t> GreedySearch::advance(engine::DecoderStep& network, std::span<DecodeResult> finished) {
  for (size_t i = 0; i < count_; ++i) {
    const Live& live = live_[i];
    const bool first = live.num_ids == 0;
    const auto slot = static_cast<int32_t>(live.request.sentence);
    rows_[i] = {first ? live.request.start_id : live.request.ids[live.num_ids - 1], static_cast<int32_t>(live.num_ids),
                first ? -1 : slot, slot, live.request.sentence};
  }
  network.step(rows_.first(count_), 1, top_.first(count_));
  for (size_t i = 0; i < count_; ++i) {
    if (top_[i].count > 0 && std::isfinite(top_[i].log_sum_exp)) continue;
    return Status::error(Code::kNumerical, "numerical failure at step %zu: no finite score among the allowed ids",
                         live_[i].num_ids);
  }
  size_t num_finished = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    Live& live = live_[i];
    if (take(top_[i], &live)) {
      const bool ended = live.request.ids[live.num_ids - 1] == live.request.end_id;
      finished[num_finished++] = {live.request.sentence, live.num_ids, live.score, !ended};
    } else {
      live_[kept++] = live;
    }
  }
  count_ = kept;
  return num_finished;
}

}  // namespace dragoman::search
