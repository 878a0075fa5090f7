#include "search/constraints.h"

namespace dragoman::search {

namespace {

// Each id of the history once, however often it came.
void penalize_repetition(float penalty, std::span<const int32_t> history, std::span<int32_t> scratch,
                         const Columns& columns) {
  const std::span<int32_t> ids = scratch.first(history.size());
  std::copy(history.begin(), history.end(), ids.begin());
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && ids[i] == ids[i - 1]) continue;
    float* value = columns.find(ids[i]);
    if (value != nullptr) *value = *value < 0 ? *value * penalty : *value / penalty;
  }
}

bool ends_with(std::span<const int32_t> history, std::span<const int32_t> end) {
  return history.size() >= end.size() &&
         std::equal(end.begin(), end.end(), history.end() - static_cast<ptrdiff_t>(end.size()));
}

void ban_repeated(size_t size, std::span<const int32_t> history, const Columns& columns) {
  if (history.size() < size) return;
  const std::span<const int32_t> last = history.last(size - 1);
  for (size_t i = 0; i + size <= history.size(); ++i) {
    if (ends_with(history.first(i + size - 1), last)) columns.ban(history[i + size - 1]);
  }
}

void ban_words(std::span<const int32_t> words, std::span<const int32_t> history, const Columns& columns) {
  while (!words.empty()) {
    const auto end = std::find(words.begin(), words.end(), -1);
    const auto length = static_cast<size_t>(end - words.begin());
    if (length > 0 && ends_with(history, words.first(length - 1))) columns.ban(words[length - 1]);
    words = words.subspan(std::min(length + 1, words.size()));
  }
}

}  // namespace

void apply(const Constraints& constraints, std::span<const int32_t> history, std::span<int32_t> scratch,
           const Columns& columns) {
  if (constraints.repetition_penalty != 1.0f) {
    penalize_repetition(constraints.repetition_penalty, history, scratch, columns);
  }
  if (constraints.no_repeat_ngram > 0) ban_repeated(constraints.no_repeat_ngram, history, columns);
  for (const std::span<const int32_t> words : constraints.bad_words) ban_words(words, history, columns);
  for (const int32_t id : constraints.suppressed) columns.ban(id);
}

}  // namespace dragoman::search
