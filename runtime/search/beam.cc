// The two rules of beam search.
// Neighbours: expansion.h; model::BeamRule and model::EarlyStopping name them in the file format.
#include "search/expansion.h"

namespace dragoman::search {

// Marian (src/translator/beam_search.cpp, history.h): as many of the best continuations live on as hypotheses are still
// missing; one that ends leaves its place empty, and the search is over with the last. At the maximum length all live
// ones count as ended.
bool Expansion::expand_beam_marian(std::span<const kernels::TopK> top) {
  const size_t found = gather(top, options_.beam_size - state_.num_finished);
  for (size_t i = 0; i < found; ++i) {
    if (ends(candidates_[i]) || at_limit()) {
      finish(candidates_[i]);
    } else {
      keep(candidates_[i]);
    }
  }
  return num_kept_ == 0;
}

// Hugging Face (transformers, generation/utils.py, _beam_search): of the best 2 x beam_size continuations those that
// end join the finished ones if they are among the best beam_size, and the best beam_size others live on, so that the
// beam stays full. Of the finished ones the best beam_size are kept.
bool Expansion::expand_beam_hugging_face(std::span<const kernels::TopK> top) {
  const size_t found = gather(top, 2 * options_.beam_size);
  for (size_t i = 0; i < found; ++i) {
    if (ends(candidates_[i]) || at_limit()) {
      if (i < options_.beam_size) finish(candidates_[i]);
    } else if (num_kept_ < options_.beam_size) {
      keep(candidates_[i]);
    }
  }
  if (num_kept_ == 0) return true;
  return state_.num_finished == options_.beam_size && cannot_improve();
}

// _check_early_stop_heuristic of the same file: the best live hypothesis is measured as if it ended here, or, when the
// search is to go on while anything is possible, as if it went on to the maximum length at no cost. A coverage penalty
// could only lower that.
bool Expansion::cannot_improve() const {
  if (options_.early_stopping == model::EarlyStopping::kAtOnce) return true;
  const bool patient = options_.early_stopping == model::EarlyStopping::kWhenImpossible;
  const size_t length = patient && options_.length_penalty > 0 ? state_.request.max_ids : state_.position + 1;
  return !(memory_.penalty.rank(sums_[0], length) > state_.finished[options_.beam_size - 1].rank_score);
}

}  // namespace dragoman::search
