// Ids that are not chosen but count: suppressed ones on request, and the banned one.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "kernels/logits.h"
#include "tests/unit/kernels/kernel_check.h"

namespace dragoman::kernels {
namespace {

// One row over `vocabulary` rows of width 1: logit of id = its weight.
struct Row {
  explicit Row(size_t vocabulary) : table(vocabulary) {
    for (size_t i = 0; i < vocabulary; ++i) table[i] = static_cast<float>(i * 7919 % vocabulary) / 64.0f;
    weights.vocabulary = vocabulary;
    weights.width = 1;
    weights.f32 = table.data();
    row.f32 = &one;
  }
  TopK top(bool reference) {
    TopK found;
    logits.assign(table.size(), 0.0f);
    row.logits = logits.data();
    if (reference) {
      reference::logits_top_k(weights, &row, 1, 4, &found);
    } else {
      logits_top_k(weights, &row, 1, 4, &found);
    }
    return found;
  }
  std::vector<float> table, logits;
  float one = 1.0f;
  LogitsWeights weights;
  LogitsRow row;
};

TEST_CASE("suppressed ids count in the sum when asked, the banned one always; none of them is chosen") {
  for (const size_t vocabulary : {5, 300, 5000}) {
    for (const bool reference : {true, false}) {
      Row r(vocabulary);
      const TopK all = r.top(reference);
      const int32_t best = all.ids[0];
      r.row.suppressed = &best;
      r.row.num_suppressed = 1;
      r.row.sum_suppressed = true;
      TopK found = r.top(reference);
      CHECK(found.log_sum_exp == all.log_sum_exp);
      CHECK(found.ids[0] == all.ids[1]);
      CHECK(r.logits[static_cast<size_t>(best)] == -std::numeric_limits<float>::infinity());
      r.row.banned = all.ids[1];
      found = r.top(reference);
      CHECK(found.log_sum_exp == all.log_sum_exp);
      CHECK(found.ids[0] == all.ids[2]);
      r.row.sum_suppressed = false;
      found = r.top(reference);
      CHECK(found.log_sum_exp < all.log_sum_exp);
      CHECK(found.ids[0] == all.ids[2]);
      r.row.num_suppressed = 0;
      found = r.top(reference);
      CHECK(found.log_sum_exp == all.log_sum_exp);
      CHECK(found.ids[0] == best);
    }
  }
}

}  // namespace
}  // namespace dragoman::kernels
