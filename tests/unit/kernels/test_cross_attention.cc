// Cross-attention of one row: double precision, reference bits, probabilities, empty and extreme sources.
#include <limits>

#include "kernel_check.h"
#include "kernels/cross_attention.h"
#include "softmax_expectation.h"

namespace dragoman::kernels::test {
namespace {

struct Source {
  Source(size_t length, size_t num_heads, size_t head_width, float scale)
      : length(length),
        num_heads(num_heads),
        head_width(head_width),
        stride(2 * num_heads * head_width + 7),
        query(num_heads * head_width),
        rows(length * stride) {
    Random random(length * 31 + head_width);
    fill(query.span(), random, scale);
    fill(rows.span(), random, scale);
  }
  CrossAttentionRow row() {
    return {.query = query.data(),
            .keys = rows.data(),
            .values = rows.data() + num_heads * head_width,
            .stride = stride,
            .source_length = length,
            .num_heads = num_heads,
            .head_width = head_width};
  }
  size_t length, num_heads, head_width, stride;
  Guarded<float> query, rows;
};

void check_source(Source& s, bool fused) {
  const size_t width = s.num_heads * s.head_width;
  Guarded<float> body(width), reference(width), body_weights(s.num_heads * s.length), weights(s.num_heads * s.length);
  Scratch scratch(cross_attention_scratch_bytes(s.length, s.num_heads));
  CrossAttentionRow row = s.row();
  row.output = reference.data();
  row.probabilities = weights.data();
  reference::cross_attention(row, scratch.data());
  row.output = body.data();
  row.probabilities = body_weights.data();
  cross_attention(row, scratch.data());
  REQUIRE(body.intact());
  REQUIRE(body_weights.intact());
  std::vector<Expected> expected(width), expected_weights(s.num_heads * s.length);
  for (size_t h = 0; h < s.num_heads; ++h) {
    const size_t column = h * s.head_width;
    const AttentionOperands o = {
        row.query + column, row.keys + column, row.values + column, s.stride, s.length, s.head_width, nullptr};
    expect_attention(o, expected.data() + column, expected_weights.data() + h * s.length);
  }
  judge(body.span(), reference.span(), expected, fused);
  judge(body_weights.span(), weights.span(), expected_weights, fused);
  // Without probabilities the output is the same.
  Guarded<float> plain(width);
  row.output = plain.data();
  row.probabilities = nullptr;
  cross_attention(row, scratch.data());
  REQUIRE(first_difference(plain.span(), body.span()) == -1);
}

// NaN in a head's query or a key and a score of +infinity make that head NaN, a value its own column; nothing else.
void check_spoiled(size_t head_width) {
  constexpr size_t kLength = 21, kHeads = 3;
  const size_t width = kHeads * head_width;
  Source intact(kLength, kHeads, head_width, 1.0f);
  std::vector<float> before(width), after(width);
  Scratch scratch(cross_attention_scratch_bytes(kLength, kHeads));
  CrossAttentionRow row = intact.row();
  row.output = before.data();
  cross_attention(row, scratch.data());
  for (float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    for (size_t where = 0; where < 3; ++where) {
      Source s(kLength, kHeads, head_width, 1.0f);
      float* at[] = {&s.query[head_width + 2], &s.rows[7 * s.stride + head_width + 2],
                     &s.rows[7 * s.stride + width + head_width + 2]};
      *at[where] = bad;
      if (where == 0) s.rows[7 * s.stride + head_width + 2] = 1.0f;  // so that infinity makes a score of +infinity
      if (where == 1) s.query[head_width + 2] = 1.0f;
      row = s.row();
      row.output = after.data();
      cross_attention(row, scratch.data());
      for (size_t i = 0; i < width; ++i) {
        INFO(where << " " << i);
        const bool in_head = i / head_width == 1;
        if (in_head && where < 2) {
          REQUIRE(std::isnan(after[i]));
        } else if (i == head_width + 2) {
          REQUIRE_FALSE(std::isfinite(after[i]));
        } else {
          REQUIRE(after[i] == before[i]);
        }
      }
    }
  }
}

}  // namespace

void check_cross_attention(bool fused) {
  for (size_t length : kLengths) {
    for (size_t head_width : {1, 15, 16, 17, 20, 32, 48, 64, 80, 128}) {
      for (float scale : {0.3f, 2.0f}) {
        Source source(length, 3, head_width, scale);
        check_source(source, fused);
      }
    }
  }
  // Scores of +-1e30 and more: a weight of one for the largest, nothing else.
  Source huge(13, 2, 32, 1e18f);
  std::vector<float> output(64);
  Scratch scratch(cross_attention_scratch_bytes(13, 2));
  CrossAttentionRow row = huge.row();
  row.output = output.data();
  cross_attention(row, scratch.data());
  REQUIRE(all_finite(output));
  for (size_t head_width : {17, 32, 64}) check_spoiled(head_width);
}

}  // namespace dragoman::kernels::test
