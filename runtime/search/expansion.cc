#include "search/expansion.h"

#include <algorithm>

namespace dragoman::search {

bool Expansion::run(std::span<const kernels::TopK> top) {
  bool done = false;
  if (options_.width() == 1 || options_.sampling.enabled) {
    done = expand_chains(top);
  } else if (options_.beam_rule == model::BeamRule::kMarian) {
    done = expand_beam_marian(top);
  } else {
    done = expand_beam_hugging_face(top);
  }
  std::copy_n(sums_, num_kept_, state_.sums.begin());
  std::copy_n(chains_, num_kept_, state_.chains.begin());
  state_.num_rows = num_kept_;
  state_.position += 1;
  return done;
}

size_t Expansion::gather(std::span<const kernels::TopK> top, size_t count) {
  size_t found = 0;
  for (size_t row = 0; row < top.size(); ++row) {
    for (size_t i = 0; i < top[row].count; ++i) {
      const float log_prob = top[row].logits[i] - top[row].log_sum_exp;
      const Candidate candidate{state_.sums[row] + log_prob, log_prob, top[row].ids[i], static_cast<uint32_t>(row)};
      if (found == count && !(candidate.sum > candidates_[count - 1].sum)) break;
      size_t at = found < count ? found++ : count - 1;
      for (; at > 0 && candidate.sum > candidates_[at - 1].sum; --at) candidates_[at] = candidates_[at - 1];
      candidates_[at] = candidate;
    }
  }
  return found;
}

// Every row goes its own way with its best continuation.
bool Expansion::expand_chains(std::span<const kernels::TopK> top) {
  for (size_t row = 0; row < top.size(); ++row) {
    const float log_prob = top[row].logits[0] - top[row].log_sum_exp;
    const Candidate candidate{state_.sums[row] + log_prob, log_prob, top[row].ids[0], static_cast<uint32_t>(row)};
    if (ends(candidate) || at_limit()) {
      finish(candidate);
    } else {
      keep(candidate);
    }
  }
  return num_kept_ == 0;
}

void Expansion::finish(const Candidate& candidate) {
  Hypothesis hypothesis;
  hypothesis.num_ids = state_.position + 1;
  hypothesis.score = candidate.sum;
  hypothesis.rank_score = memory_.penalty.rank(candidate.sum, hypothesis.num_ids);
  hypothesis.reached_limit = !ends(candidate) || (state_.cut_rows >> candidate.row & 1u) != 0;
  hypothesis.last = {candidate.id, candidate.row, candidate.log_prob};
  if (options_.coverage_penalty != 0) {
    const DecodeRequest& request = state_.request;
    hypothesis.rank_score += options_.coverage_penalty * memory_.attention.coverage(memory_.trellis, request.sentence,
                                                                                    hypothesis, request.source_length);
  }
  const std::span<Hypothesis> pool = state_.finished.first(options_.width());
  if (state_.num_finished == pool.size() && !(hypothesis.rank_score > pool.back().rank_score)) return;
  size_t at = state_.num_finished < pool.size() ? state_.num_finished++ : pool.size() - 1;
  for (; at > 0 && hypothesis.rank_score > pool[at - 1].rank_score; --at) pool[at] = pool[at - 1];
  pool[at] = hypothesis;
}

void Expansion::keep(const Candidate& candidate) {
  nodes_[num_kept_] = {candidate.id, candidate.row, candidate.log_prob};
  sums_[num_kept_] = candidate.sum;
  chains_[num_kept_] = state_.chains[candidate.row];
  ++num_kept_;
}

}  // namespace dragoman::search
