// Attention over cached rows: double precision, reference bits, ancestors, shared heads, relative bias, every half.
#include <algorithm>
#include <limits>

#include "kernel_check.h"
#include "kernels/cached_attention.h"
#include "kernels/half.h"
#include "softmax_expectation.h"

namespace dragoman::kernels::test {
namespace {

constexpr size_t kSlots = 5;

struct CacheShape {
  CacheType type;
  size_t length;
  size_t num_heads;
  size_t key_value_heads;
  size_t head_width;
  size_t relative_columns;  // 0: no bias
};

// A cache whose rows off the hypothesis' path are NaN.
struct Cache {
  Cache(const CacheShape& s, float scale)
      : shape(s),
        width(s.key_value_heads * s.head_width),
        row_bytes(cache_row_bytes(s.type, width)),
        query(s.num_heads * s.head_width),
        bias(s.num_heads * s.relative_columns),
        rows(s.length * kSlots * row_bytes / sizeof(uint32_t), 0xFFFFFFFFu),
        ancestors(s.length),
        stored(2 * width * s.length) {
    Random random(s.length * 31 + s.head_width);
    fill(query.span(), random, scale);
    fill(bias.span(), random, 2.0f);
    fill(stored.span(), random, scale);
    for (size_t j = 0; j < s.length; ++j) {
      ancestors[j] = static_cast<int32_t>(random.below(kSlots));
      std::byte* at = bytes() + (j * kSlots + static_cast<size_t>(ancestors[j])) * row_bytes;
      store_cache_row(s.type, &stored[2 * width * j], width, at);
      for (size_t i = 0; i < 2 * width; ++i) stored[2 * width * j + i] = element(at, i);
    }
  }

  std::byte* bytes() { return reinterpret_cast<std::byte*>(rows.data()); }

  // What a stored element stands for.
  float element(const std::byte* at, size_t i) const {
    if (shape.type == CacheType::kF32) return reinterpret_cast<const float*>(at)[i];
    if (shape.type == CacheType::kF16) return float_from_half(reinterpret_cast<const uint16_t*>(at)[i]);
    const auto* scales = reinterpret_cast<const float*>(at + cache_scales_offset(width));
    return static_cast<float>(reinterpret_cast<const int8_t*>(at)[i]) * scales[i / width];
  }

  CachedAttentionRow row(float* output) {
    return {.type = shape.type,
            .cache = bytes(),
            .slots = kSlots,
            .row_bytes = row_bytes,
            .ancestors = ancestors.data(),
            .length = shape.length,
            .query = query.data(),
            .num_heads = shape.num_heads,
            .key_value_heads = shape.key_value_heads,
            .head_width = shape.head_width,
            .relative_bias = shape.relative_columns > 0 ? bias.data() : nullptr,
            .relative_columns = shape.relative_columns,
            .output = output};
  }

  std::vector<Expected> expect() {
    std::vector<Expected> expected(query.span().size());
    std::vector<float> distance_bias(shape.length);
    for (size_t h = 0; h < shape.num_heads; ++h) {
      for (size_t j = 0; j < shape.length && shape.relative_columns > 0; ++j) {
        const size_t distance = std::min(shape.length - 1 - j, shape.relative_columns - 1);
        distance_bias[j] = bias[(h + 1) * shape.relative_columns - 1 - distance];
      }
      const size_t column = h / (shape.num_heads / shape.key_value_heads) * shape.head_width;
      const AttentionOperands o = {&query[h * shape.head_width],
                                   stored.data() + column,
                                   stored.data() + width + column,
                                   2 * width,
                                   shape.length,
                                   shape.head_width,
                                   shape.relative_columns > 0 ? distance_bias.data() : nullptr};
      expect_attention(o, expected.data() + h * shape.head_width, nullptr);
    }
    return expected;
  }

  CacheShape shape;
  size_t width, row_bytes;
  Guarded<float> query, bias;
  std::vector<uint32_t> rows;
  std::vector<int32_t> ancestors;
  Guarded<float> stored;  // [length, 2 * width] as the cache holds it
};

void check_shape(const CacheShape& shape, float scale, bool fused) {
  Cache cache(shape, scale);
  const size_t width = shape.num_heads * shape.head_width;
  Guarded<float> body(width), reference(width);
  Scratch scratch(cached_attention_scratch_bytes(shape.length, shape.num_heads));
  reference::cached_attention(cache.row(reference.data()), scratch.data());
  cached_attention(cache.row(body.data()), scratch.data());
  REQUIRE(body.intact());
  judge(body.span(), reference.span(), cache.expect(), fused);
}

// The softmax of one position is 1: the output is the stored value, for every half there is.
void check_every_half() {
  constexpr size_t kWidth = 0x7C00;
  std::vector<float> keys_values(4 * kWidth);
  for (size_t i = 0; i < 2 * kWidth; ++i) {
    keys_values[2 * kWidth + i] = float_from_half(static_cast<uint16_t>(i < kWidth ? i : 0x8000 + (i - kWidth)));
  }
  std::vector<uint32_t> row(cache_row_bytes(CacheType::kF16, 2 * kWidth) / 4);
  auto* bytes = reinterpret_cast<std::byte*>(row.data());
  store_cache_row(CacheType::kF16, keys_values.data(), 2 * kWidth, bytes);
  std::vector<float> query(2 * kWidth, 1.0f), output(2 * kWidth);
  const int32_t ancestor = 0;
  Scratch scratch(cached_attention_scratch_bytes(1, 1));
  cached_attention({.type = CacheType::kF16,
                    .cache = bytes,
                    .slots = 1,
                    .row_bytes = row.size() * 4,
                    .ancestors = &ancestor,
                    .length = 1,
                    .query = query.data(),
                    .num_heads = 1,
                    .key_value_heads = 1,
                    .head_width = 2 * kWidth,
                    .output = output.data()},
                   scratch.data());
  const std::span<const float> values = std::span(keys_values).subspan(2 * kWidth);
  REQUIRE(first_difference(output, values) == -1);
}

// What is stored of NaN and infinity spoils the outputs of the heads that read it, in every type.
void check_spoiled() {
  for (size_t i = 0; i < kNumCacheTypes; ++i) {
    for (float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
      for (size_t part = 0; part < 2; ++part) {
        Cache cache({static_cast<CacheType>(i), 9, 2, 2, 20, 0}, 1.0f);
        std::vector<float> stored(80, 0.5f), output(40);
        stored[part * 40 + 3] = bad;  // in a key of head 0, or in a value
        Scratch scratch(cached_attention_scratch_bytes(9, 2));
        store_cache_row(cache.shape.type, stored.data(), 40,
                        cache.bytes() + (4 * kSlots + static_cast<size_t>(cache.ancestors[4])) * cache.row_bytes);
        cache.query[3] = 1.0f;
        cached_attention(cache.row(output.data()), scratch.data());
        INFO("type " << i << ", part " << part << ", " << bad);
        REQUIRE_FALSE(std::isfinite(output[3]));
      }
    }
  }
}

// Biases of -infinity mask: one position, then all of them.
void check_masks() {
  Cache cache({CacheType::kI8, 9, 2, 2, 20, 9}, 1.0f);
  std::vector<float> before(40), after(40);
  Scratch scratch(cached_attention_scratch_bytes(9, 2));
  const float masked = -std::numeric_limits<float>::infinity();
  cache.bias[4] = cache.bias[13] = masked;  // position 4 in both heads
  cached_attention(cache.row(before.data()), scratch.data());
  const std::vector<float> other(80, 50.0f);
  store_cache_row(CacheType::kI8, other.data(), 40,
                  cache.bytes() + (4 * kSlots + static_cast<size_t>(cache.ancestors[4])) * cache.row_bytes);
  cached_attention(cache.row(after.data()), scratch.data());
  REQUIRE(first_difference(after, before) == -1);
  for (float& b : cache.bias.span()) b = masked;
  cached_attention(cache.row(after.data()), scratch.data());
  for (float y : after) REQUIRE(y == 0.0f);
}

}  // namespace

void check_cached_attention(bool fused) {
  for (size_t i = 0; i < kNumCacheTypes; ++i) {
    const auto type = static_cast<CacheType>(i);
    for (size_t length : kLengths) {
      for (size_t head_width : {1, 8, 17, 32, 48, 64, 80}) {
        if (length > 70 && head_width != 32 && head_width != 17) continue;
        check_shape({type, length, 6, 6, head_width, 0}, 0.5f, fused);
        check_shape({type, length, 6, 2, head_width, length % 2 == 0 ? size_t{16} : size_t{3}}, 2.0f, fused);
        check_shape({type, length, 5, 1, head_width, 129}, 1.0f, fused);
      }
    }
  }
  check_every_half();
  check_masks();
  check_spoiled();
}

}  // namespace dragoman::kernels::test
