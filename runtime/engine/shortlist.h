// Which target ids a sentence may use: the union of its source ids' lists, as the model's shortlist says.
// Neighbours: the engine asks once per sentence; the Logits operator reads the ids at every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "model/model_view.h"

namespace dragoman::engine {

// Builds sets of allowed ids; see schema::Shortlist for the rule.
class Shortlist {
 public:
  // No ids for a model without a shortlist. `view` must outlive it. Carves a bit set over the target ids that can be
  // generated, those below `target_vocabulary`.
  void carve(const model::ShortlistView& view, size_t target_vocabulary, Arena* arena);

  // Allows `id` in every set, whatever the lists say: without its end a sentence could not stop.
  void require(int32_t id) { required_ = id; }

  bool present() const { return view_.present(); }

  // The most ids that a sentence of `max_source_length` ids can have.
  size_t max_ids(size_t max_source_length) const;

  // Writes the allowed ids of a sentence, ascending, to `allowed` (max_ids(source_ids.size()) entries); returns their
  // number. Source ids outside the vocabulary add nothing.
  size_t build(std::span<const int32_t> source_ids, std::span<int32_t> allowed);

 private:
  // Ids outside the vocabulary are left out.
  void add(uint32_t id) {
    if (id < vocabulary_) bits_[id / 64] |= uint64_t{1} << (id % 64);
  }
  bool contains(uint32_t id) const { return (bits_[id / 64] >> (id % 64) & 1) != 0; }

  model::ShortlistView view_;
  size_t vocabulary_ = 0;
  size_t longest_list_ = 0;
  int32_t required_ = -1;  // none
  std::span<uint64_t> bits_;
};

}  // namespace dragoman::engine
