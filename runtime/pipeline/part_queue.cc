#include "pipeline/part_queue.h"

#include <new>

namespace dragoman::pipeline {

void PartQueue::carve(const Sizes& sizes, Arena* arena) {
  parts_ = arena->carve<Part>(sizes.parts);
  const std::span<int32_t> source_ids = arena->carve<int32_t>(saturating_product(sizes.parts, sizes.max_source_ids));
  const size_t part_ids = saturating_product(sizes.max_hypotheses, sizes.max_ids);
  const std::span<int32_t> ids = arena->carve<int32_t>(saturating_product(sizes.parts, part_ids));
  const std::span<float> log_probs = arena->carve<float>(saturating_product(sizes.parts, part_ids));
  const size_t part_attention = sizes.attention ? saturating_product(part_ids, sizes.max_source_ids) : 0;
  const size_t part_alignment = sizes.attention ? part_ids : 0;
  const std::span<float> attention = arena->carve<float>(saturating_product(sizes.parts, part_attention));
  const std::span<int32_t> alignment = arena->carve<int32_t>(saturating_product(sizes.parts, part_alignment));
  const auto hypotheses = arena->carve<PartHypothesis>(saturating_product(sizes.parts, sizes.max_hypotheses));
  for (size_t i = 0; i < parts_.size() && !arena->failed(); ++i) {
    Part* part = new (&parts_[i]) Part();
    part->source_ids = source_ids.subspan(i * sizes.max_source_ids, sizes.max_source_ids);
    part->max_ids = sizes.max_ids;
    part->ids = ids.subspan(i * part_ids, part_ids);
    part->log_probs = log_probs.subspan(i * part_ids, part_ids);
    part->attention = attention.subspan(i * part_attention, part_attention);
    part->alignment = alignment.subspan(i * part_alignment, part_alignment);
    part->hypotheses = hypotheses.subspan(i * sizes.max_hypotheses, sizes.max_hypotheses);
  }
  clear();
}

Part* PartQueue::back_slot() {
  Part* part = &parts_[(head_ + count_) % parts_.size()];
  part->reset();
  return part;
}

void PartQueue::pop_front() {
  head_ = (head_ + 1) % parts_.size();
  --count_;
}

}  // namespace dragoman::pipeline
