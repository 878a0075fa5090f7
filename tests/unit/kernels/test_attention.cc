// Self-attention of a segment: double precision, reference bits, masks, and independence of heads and neighbours.
#include <algorithm>
#include <limits>

#include "kernel_check.h"
#include "kernels/attention.h"
#include "softmax_expectation.h"

namespace dragoman::kernels::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Shape {
  size_t length;
  size_t num_heads;
  size_t head_width;
  size_t max_distance = 0;  // of the relative bias; 0: none
};

struct Segment {
  explicit Segment(const Shape& s, float scale, uint64_t seed)
      : shape(s),
        stride(3 * s.num_heads * s.head_width + 5),
        qkv(s.length * stride),
        bias(s.length),
        relative(s.num_heads * (2 * s.max_distance + 1)) {
    Random random(seed);
    fill(qkv.span(), random, scale);
    fill(relative.span(), random, 2.0f);
    for (float& b : bias.span()) b = 0.0f;
  }
  AttentionSegment arguments(float* output, bool biased) {
    const size_t width = shape.num_heads * shape.head_width;
    return {.qkv = qkv.data(),
            .qkv_stride = stride,
            .output = output,
            .output_stride = width,
            .length = shape.length,
            .num_heads = shape.num_heads,
            .head_width = shape.head_width,
            .head_begin = 0,
            .head_end = shape.num_heads,
            .key_bias = biased ? bias.data() : nullptr,
            .relative_bias = shape.max_distance > 0 ? relative.data() : nullptr,
            .max_distance = shape.max_distance};
  }
  float relative_bias(size_t head, size_t query, size_t key) {
    if (shape.max_distance == 0) return 0.0f;
    const auto farthest = static_cast<int>(shape.max_distance);
    const int distance = std::clamp(static_cast<int>(key) - static_cast<int>(query), -farthest, farthest);
    return relative[head * (2 * shape.max_distance + 1) + static_cast<size_t>(distance + farthest)];
  }
  Shape shape;
  size_t stride;
  Guarded<float> qkv;
  Guarded<float> bias;
  Guarded<float> relative;
};

std::vector<Expected> expect(Segment& s, bool biased) {
  const size_t width = s.shape.num_heads * s.shape.head_width;
  std::vector<Expected> expected(s.shape.length * width);
  std::vector<float> bias(s.shape.length);
  for (size_t h = 0; h < s.shape.num_heads; ++h) {
    for (size_t i = 0; i < s.shape.length; ++i) {
      const size_t column = h * s.shape.head_width;
      for (size_t j = 0; j < s.shape.length; ++j) bias[j] = (biased ? s.bias[j] : 0.0f) + s.relative_bias(h, i, j);
      const AttentionOperands row = {s.qkv.data() + i * s.stride + column,
                                     s.qkv.data() + width + column,
                                     s.qkv.data() + 2 * width + column,
                                     s.stride,
                                     s.shape.length,
                                     s.shape.head_width,
                                     biased || s.shape.max_distance > 0 ? bias.data() : nullptr};
      expect_attention(row, expected.data() + i * width + column, nullptr);
    }
  }
  return expected;
}

std::vector<float> run(Segment& s, bool biased, bool reference) {
  const size_t width = s.shape.num_heads * s.shape.head_width;
  Guarded<float> output(s.shape.length * width);
  Scratch scratch(attention_scratch_bytes(s.shape.length, s.shape.head_width));
  const AttentionSegment arguments = s.arguments(output.data(), biased);
  if (reference) {
    reference::attention_segment(arguments, scratch.data());
  } else {
    attention_segment(arguments, scratch.data());
  }
  REQUIRE(output.intact());
  return {output.data(), output.data() + output.span().size()};
}

void check_masks(bool fused) {
  Segment s({19, 2, 20}, 1.0f, 3);
  for (float& b : s.bias.span()) b = -kInfinity;
  for (float y : run(s, true, false)) REQUIRE(y == 0.0f);
  // Scores that drown in -1e30 are equal: uniform weights.
  for (float& b : s.bias.span()) b = -1e30f;
  const std::vector<float> uniform = run(s, true, false);
  for (size_t c = 0; c < 40; ++c) {
    double mean = 0, magnitude = 0;
    for (size_t j = 0; j < 19; ++j) {
      mean += static_cast<double>(s.qkv[j * s.stride + 80 + c]) / 19;
      magnitude += std::fabs(static_cast<double>(s.qkv[j * s.stride + 80 + c])) / 19;
    }
    REQUIRE(std::fabs(static_cast<double>(uniform[c]) - mean) <= 30 * kUnit * magnitude);
  }
  // One masked key: its value cannot matter.
  for (float& b : s.bias.span()) b = 0.0f;
  s.bias[7] = -kInfinity;
  const std::vector<float> before = run(s, true, false);
  for (size_t c = 80; c < 120; ++c) s.qkv[7 * s.stride + c] = 1e20f;
  REQUIRE(first_difference(run(s, true, false), before) == -1);
  if (fused) REQUIRE(first_difference(run(s, true, true), before) == -1);
  // One score of 1e30 takes all the weight.
  s.bias[3] = 1e30f;
  const std::vector<float> sharp = run(s, true, false);
  for (size_t c = 0; c < 40; ++c) REQUIRE(sharp[c] == s.qkv[3 * s.stride + 80 + c]);
}

// NaN in one head stays there; a range of heads computes exactly the columns of a full run.
void check_heads() {
  Segment s({21, 4, 16}, 1.0f, 5);
  const std::vector<float> all = run(s, false, false);
  std::vector<float> one(all.size(), 7.0f);
  Scratch scratch(attention_scratch_bytes(21, 16));
  AttentionSegment arguments = s.arguments(one.data(), false);
  arguments.head_begin = 2;
  arguments.head_end = 3;
  attention_segment(arguments, scratch.data());
  s.qkv[5 * s.stride + 64 + 3] = std::nanf("");  // a key of head 0
  const std::vector<float> spoiled = run(s, false, false);
  for (size_t i = 0; i < all.size(); ++i) {
    REQUIRE(one[i] == (i % 64 / 16 == 2 ? all[i] : 7.0f));
    if (i % 64 >= 16) REQUIRE(spoiled[i] == all[i]);
    if (i % 64 < 16) REQUIRE(std::isnan(spoiled[i]));
  }
  // A query spoils its row alone, whatever its scores would hide: all of them are NaN, none is the largest.
  Segment t({21, 4, 16}, 1.0f, 5);
  t.qkv[5 * t.stride + 16 + 3] = std::nanf("");  // a query of head 1
  const std::vector<float> row = run(t, false, false);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_spoiled = i / 64 == 5 && i % 64 / 16 == 1;
    REQUIRE((is_spoiled ? std::isnan(row[i]) : row[i] == all[i]));
  }
}

}  // namespace

void check_attention(bool fused) {
  for (size_t length : kLengths) {
    for (size_t head_width : {1, 8, 17, 20, 32, 64}) {
      if (length > 130 && head_width != 32) continue;
      for (float scale : {0.5f, 3.0f}) {
        Segment s({length, 2, head_width}, scale, length * 100 + head_width);
        Random random(length);
        fill(s.bias.span(), random, 2.0f);
        const bool biased = scale > 1.0f;
        judge(run(s, biased, false), run(s, biased, true), expect(s, biased), fused);
      }
    }
    for (size_t max_distance : {1, 12, 200}) {
      Segment s({length, 3, 16, max_distance}, 0.5f, length);
      judge(run(s, max_distance == 12, false), run(s, max_distance == 12, true), expect(s, max_distance == 12), fused);
    }
  }
  check_masks(fused);
  check_heads();
}

}  // namespace dragoman::kernels::test
