// Neighbours: merge_slots.h.
#include "converter/merge_slots.h"

#include <algorithm>
#include <bit>

#include "base/tokenizer_tables.h"

namespace dragoman::converter {
namespace {

constexpr size_t kMaxRun = 1024;  // of used slots; the runtime refuses twice that
constexpr int kMaxDoublings = 4;

bool fill(const std::vector<uint32_t>& merges, std::vector<uint32_t>* slots) {
  const auto mask = static_cast<uint32_t>(slots->size() - 1);
  for (size_t rank = 0; rank < merges.size() / 3; ++rank) {
    const uint32_t* merge = &merges[3 * rank];
    uint32_t slot = merge_slot(merge[0], merge[1], mask);
    for (size_t steps = 0; (*slots)[slot] != 0; slot = (slot + 1) & mask) {
      const uint32_t* other = &merges[size_t{3} * ((*slots)[slot] - 1)];
      if (other[0] == merge[0] && other[1] == merge[1]) break;
      if (++steps > kMaxRun) return false;
    }
    (*slots)[slot] = static_cast<uint32_t>(rank) + 1;
  }
  return true;
}

bool has_long_run(const std::vector<uint32_t>& slots) {
  size_t run = 0;
  return std::any_of(slots.begin(), slots.end(), [&run](uint32_t slot) {
    run = slot == 0 ? 0 : run + 1;
    return run > kMaxRun;
  });
}

}  // namespace

Result<std::vector<uint32_t>> build_merge_slots(const std::vector<uint32_t>& merges) {
  size_t num_slots = std::bit_ceil(std::max<size_t>(2 * merges.size() / 3, 2));
  for (int i = 0; i < kMaxDoublings; ++i, num_slots *= 2) {
    std::vector<uint32_t> slots(num_slots, 0);
    if (fill(merges, &slots) && !has_long_run(slots)) return slots;
  }
  return Status::error(Code::kUnsupported, "model.merges: too many of the %zu pairs collide", merges.size() / 3);
}

}  // namespace dragoman::converter
