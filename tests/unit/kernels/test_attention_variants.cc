// Attention kernels against textbook formulas in double precision: tests/data/attention.
// Neighbours: test_attention.cc and test_cached_attention.cc compare the same kernels with their references.
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "kernel_check.h"
#include "kernels/attention.h"
#include "kernels/cached_attention.h"

namespace dragoman::kernels::test {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

struct Tensor {
  std::vector<size_t> shape;
  std::vector<float> data;
};

const std::map<std::string, Tensor>& variants() {
  static const std::map<std::string, Tensor> tensors = [] {
    std::map<std::string, Tensor> read;
    std::ifstream file(DRAGOMAN_TEST_DATA "/attention/variants.txt");
    std::string head, values;
    while (std::getline(file, head) && std::getline(file, values)) {
      std::istringstream words(head), numbers(values);
      std::string name;
      words >> name;
      Tensor& tensor = read[name];
      for (size_t extent = 0; words >> extent;) tensor.shape.push_back(extent);
      for (float value = 0; numbers >> value;) tensor.data.push_back(value);
    }
    return read;
  }();
  return tensors;
}

// One problem: q, output [heads, length, head width], k, v [key heads, length, head width].
struct Variant {
  explicit Variant(const std::string& n, bool scaled = true)
      : name(n), heads(at("q").shape[0]), length(at("q").shape[1]), head_width(at("q").shape[2]) {
    key_heads = at("k").shape[0];
    scale = scaled ? static_cast<float>(1 / std::sqrt(static_cast<double>(head_width))) : 1.0f;
  }
  const Tensor& at(const std::string& tensor) const { return variants().at(name + "." + tensor); }
  float value(const char* tensor, size_t head, size_t i, size_t c) const {
    return at(tensor).data[(head * length + i) * head_width + c];
  }
  bool keeps(size_t query, size_t key) const { return at("keep").data[query * length + key] != 0.0f; }
  // t5: what query i adds to the score of key j.
  float bias(size_t head, size_t i, size_t j) const {
    return at("table").data[static_cast<size_t>(at("buckets").data[i * length + j]) * heads + head];
  }

  std::string name;
  size_t heads, length, head_width, key_heads = 0;
  float scale = 1;
};

void compare(const Variant& v, size_t i, std::span<const float> row) {
  for (size_t h = 0; h < v.heads; ++h) {
    for (size_t c = 0; c < v.head_width; ++c) {
      INFO(v.name << ", query " << i << ", head " << h << ", channel " << c);
      REQUIRE(std::fabs(row[h * v.head_width + c] - v.value("output", h, i, c)) <= 1e-5f);
    }
  }
}

// Decodes position by position; bias_of(head, query, key) when `biased`.
template <typename Bias>
void decode(const Variant& v, bool biased, size_t max_distance, const Bias& bias_of) {
  const size_t width = v.key_heads * v.head_width, row_bytes = cache_row_bytes(CacheType::kF32, width);
  std::vector<uint32_t> cache(v.length * row_bytes / 4);
  auto* rows = reinterpret_cast<std::byte*>(cache.data());
  const std::vector<int32_t> ancestors(v.length);
  Scratch scratch(cached_attention_scratch_bytes(v.length, v.heads));
  std::vector<float> query(v.heads * v.head_width), keys_values(2 * width), output(query.size());
  for (size_t i = 0; i < v.length; ++i) {
    for (size_t h = 0; h < v.heads; ++h) {
      for (size_t c = 0; c < v.head_width; ++c) query[h * v.head_width + c] = v.value("q", h, i, c) * v.scale;
    }
    for (size_t h = 0; h < v.key_heads; ++h) {
      for (size_t c = 0; c < v.head_width; ++c) {
        keys_values[h * v.head_width + c] = v.value("k", h, i, c);
        keys_values[width + h * v.head_width + c] = v.value("v", h, i, c);
      }
    }
    store_cache_row(CacheType::kF32, keys_values.data(), width, rows + i * row_bytes);
    std::vector<float> bias(v.heads * (max_distance + 1));
    for (size_t h = 0; h < v.heads && biased; ++h) {
      for (size_t distance = 0; distance <= max_distance && distance <= i; ++distance) {
        bias[h * (max_distance + 1) + max_distance - distance] = bias_of(h, i, i - distance);
      }
    }
    cached_attention({.type = CacheType::kF32,
                      .cache = rows,
                      .slots = 1,
                      .row_bytes = row_bytes,
                      .ancestors = ancestors.data(),
                      .length = i + 1,
                      .query = query.data(),
                      .num_heads = v.heads,
                      .key_value_heads = v.key_heads,
                      .head_width = v.head_width,
                      .relative_bias = biased ? bias.data() : nullptr,
                      .relative_columns = max_distance + 1,
                      .output = output.data()},
                     scratch.data());
    compare(v, i, output);
  }
}

float no_bias(size_t, size_t, size_t) { return 0.0f; }

// All rows at once, as an encoder does.
void encode(const Variant& v, const float* key_bias, const float* relative_bias, size_t max_distance) {
  const size_t width = v.heads * v.head_width;
  std::vector<float> qkv(v.length * 3 * width), output(v.length * width);
  for (size_t i = 0; i < v.length; ++i) {
    for (size_t h = 0; h < v.heads; ++h) {
      for (size_t c = 0; c < v.head_width; ++c) {
        float* to = &qkv[i * 3 * width + h * v.head_width + c];
        to[0] = v.value("q", h, i, c) * v.scale;
        to[width] = v.value("k", h, i, c);
        to[2 * width] = v.value("v", h, i, c);
      }
    }
  }
  Scratch scratch(attention_scratch_bytes(v.length, v.head_width));
  attention_segment({.qkv = qkv.data(),
                     .qkv_stride = 3 * width,
                     .output = output.data(),
                     .output_stride = width,
                     .length = v.length,
                     .num_heads = v.heads,
                     .head_width = v.head_width,
                     .head_begin = 0,
                     .head_end = v.heads,
                     .key_bias = key_bias,
                     .relative_bias = relative_bias,
                     .max_distance = max_distance},
                    scratch.data());
  for (size_t i = 0; i < v.length; ++i) compare(v, i, std::span(output).subspan(i * width, width));
}

}  // namespace

TEST_CASE("cached attention: causal, multi-query and grouped-query", "[kernels]") {
  for (const char* name : {"causal", "mqa", "gqa"}) decode(Variant(name), false, 0, no_bias);
}

TEST_CASE("cached attention: a row whose every key is masked gives zeros", "[kernels]") {
  const Variant v("causal_left_masked");
  REQUIRE_FALSE(v.keeps(0, 0));
  decode(v, true, v.length - 1, [&](size_t, size_t i, size_t j) { return v.keeps(i, j) ? 0.0f : kMasked; });
}

TEST_CASE("segment attention: masked keys, and all of them", "[kernels]") {
  for (const char* name : {"some_keys_masked", "all_keys_masked"}) {
    const Variant v(name);
    std::vector<float> key_bias(v.length);
    for (size_t j = 0; j < v.length; ++j) key_bias[j] = v.keeps(0, j) ? 0.0f : kMasked;
    encode(v, key_bias.data(), nullptr, 0);
  }
}

TEST_CASE("RT-09: relative bias by bucket, in a decoder and in an encoder", "[kernels]") {
  constexpr size_t kMaxDistance = 12;
  const Variant causal("t5_bias_causal", false);
  REQUIRE(causal.length > kMaxDistance + 1);
  decode(causal, true, kMaxDistance, [&](size_t h, size_t i, size_t j) { return causal.bias(h, i, j); });

  const Variant v("t5_bias_bidirectional", false);
  std::vector<float> table(v.heads * (2 * kMaxDistance + 1));
  for (size_t h = 0; h < v.heads; ++h) {
    for (size_t distance = 0; distance <= kMaxDistance; ++distance) {
      float* middle = &table[h * (2 * kMaxDistance + 1) + kMaxDistance];
      middle[distance] = v.bias(h, 0, distance);
      *(middle - distance) = v.bias(h, distance, 0);
    }
  }
  encode(v, nullptr, table.data(), kMaxDistance);
}

}  // namespace dragoman::kernels::test
