// Times of every kernel at the sizes of a small translation model, per target: bench_kernels [target name].
// Neighbours: kernel_list.inc (one bench_<name> a line). Prints nanoseconds per call, the best of several rounds.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kernels/activation.h"
#include "kernels/attention.h"
#include "kernels/cached_attention.h"
#include "kernels/cross_attention.h"
#include "kernels/dispatch.h"
#include "kernels/embed.h"
#include "kernels/logits.h"
#include "kernels/normalize.h"
#include "kernels/quantize.h"
#include "kernels/softmax.h"
#include "kernels/ssru.h"

namespace dragoman::kernels {
namespace {

constexpr size_t kWidth = 256, kHeads = 8, kHeadWidth = 32, kVocabulary = 32000;

// Best time of one call over rounds of about a millisecond each.
template <class Body>
void measure(const char* what, const Body& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  size_t calls = 1;
  for (int round = 0; round < 60; ++round) {
    const auto begin = Clock::now();
    for (size_t i = 0; i < calls; ++i) body();
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    best = ns / static_cast<double>(calls) < best ? ns / static_cast<double>(calls) : best;
    if (ns < 5e5) calls *= 2;
  }
  std::printf("  %-44s %10.1f ns\n", what, best);
}

// The same with `others` read through the caches before every call.
template <class Body>
void measure_cold(const char* what, const Body& body, std::vector<char>& others) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (int round = 0; round < 100; ++round) {
    for (size_t i = 0; i < others.size(); i += 64) others[i] = static_cast<char>(others[i] + 1);
    const auto begin = Clock::now();
    body();
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    best = ns < best ? ns : best;
  }
  std::printf("  %-44s %10.1f ns\n", what, best);
}

std::vector<float> numbers(size_t count, float scale = 1.0f) {
  std::vector<float> values(count);
  uint32_t state = 12345;
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = (static_cast<float>(state >> 8) * 0x1p-23f - 1.0f) * scale;
  }
  return values;
}

std::vector<int8_t> bytes(size_t count) {
  std::vector<int8_t> values(count);
  uint32_t state = 99;
  for (int8_t& v : values) v = static_cast<int8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return values;
}

// A block that starts on a cache line.
struct Scratch {
  explicit Scratch(size_t size) : block(size + 64) {}
  float* data() { return reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(block.data()) + 63) & ~uintptr_t{63}); }
  std::vector<char> block;
};

void bench_quantize() {
  for (size_t width : {kWidth, size_t{1536}}) {
    const std::vector<float> input = numbers(width);
    std::vector<int8_t> output(width);
    RowQuantization row;
    char name[64];
    std::snprintf(name, sizeof name, "quantize_rows, 1 row of %zu", width);
    measure(name, [&] { quantize_rows(input.data(), {.rows = 1, .width = width}, output.data(), &row); });
  }
}

void bench_normalize() {
  const std::vector<float> input = numbers(kWidth), residual = numbers(kWidth, 2.0f), gains = numbers(kWidth);
  std::vector<float> output(kWidth);
  std::vector<int8_t> quantized(kWidth);
  RowQuantization row;
  NormalizeOptions o = {.rows = 1,
                        .width = kWidth,
                        .input = input.data(),
                        .residual = nullptr,
                        .scale = gains.data(),
                        .bias = gains.data(),
                        .output = output.data()};
  measure("layer_norm, 1 row of 256", [&] { layer_norm(o); });
  o.residual = residual.data();
  measure("layer_norm, 1 row of 256, residual", [&] { layer_norm(o); });
  o.quantized = quantized.data();
  o.quantization = &row;
  measure("layer_norm, 1 row of 256, residual, int8 too", [&] { layer_norm(o); });
}

void bench_attention() {
  for (size_t length : {5, 30, 100, 256}) {
    const std::vector<float> qkv = numbers(length * 3 * kWidth);
    std::vector<float> output(length * kWidth);
    Scratch scratch(attention_scratch_bytes(length, kHeadWidth));
    const AttentionSegment segment = {.qkv = qkv.data(),
                                      .qkv_stride = 3 * kWidth,
                                      .output = output.data(),
                                      .output_stride = kWidth,
                                      .length = length,
                                      .num_heads = kHeads,
                                      .head_width = kHeadWidth,
                                      .head_begin = 0,
                                      .head_end = kHeads};
    char name[64];
    std::snprintf(name, sizeof name, "attention_segment, %zu tokens, 8 heads of 32", length);
    measure(name, [&] { attention_segment(segment, scratch.data()); });
  }
}

void bench_cross_attention() {
  for (size_t length : {10, 30, 100}) {
    const std::vector<float> query = numbers(kWidth), rows = numbers(length * 4 * kWidth);
    std::vector<float> output(kWidth);
    Scratch scratch(cross_attention_scratch_bytes(length, kHeads));
    const CrossAttentionRow row = {.query = query.data(),
                                   .keys = rows.data(),
                                   .values = rows.data() + kWidth,
                                   .stride = 4 * kWidth,
                                   .source_length = length,
                                   .num_heads = kHeads,
                                   .head_width = kHeadWidth,
                                   .output = output.data()};
    char name[64];
    std::snprintf(name, sizeof name, "cross_attention, %zu tokens, 8 heads of 32", length);
    measure(name, [&] { cross_attention(row, scratch.data()); });
  }
}

void bench_cache_rows() {
  const std::vector<float> keys_values = numbers(2 * kWidth);
  std::vector<uint64_t> row(kWidth);
  constexpr const char* kNames[] = {"store_cache_row, f32, 2 x 256", "store_cache_row, f16, 2 x 256",
                                    "store_cache_row, int8, 2 x 256"};
  for (size_t i = 0; i < kNumCacheTypes; ++i) {
    measure(kNames[i], [&] {
      store_cache_row(static_cast<CacheType>(i), keys_values.data(), kWidth, reinterpret_cast<std::byte*>(row.data()));
    });
  }
}

void bench_cached_attention() {
  constexpr const char* kTypes[] = {"f32", "f16", "int8"};
  for (size_t i = 0; i < kNumCacheTypes; ++i) {
    for (size_t length : {10, 30, 100}) {
      const auto type = static_cast<CacheType>(i);
      const size_t row_bytes = cache_row_bytes(type, kWidth);
      const std::vector<float> query = numbers(kWidth), keys_values = numbers(2 * kWidth);
      std::vector<uint64_t> cache(length * row_bytes / 8);
      auto* rows = reinterpret_cast<std::byte*>(cache.data());
      for (size_t j = 0; j < length; ++j) store_cache_row(type, keys_values.data(), kWidth, rows + j * row_bytes);
      const std::vector<int32_t> ancestors(length);
      std::vector<float> output(kWidth);
      Scratch scratch(cached_attention_scratch_bytes(length, kHeads));
      const CachedAttentionRow row = {.type = type,
                                      .cache = rows,
                                      .slots = 1,
                                      .row_bytes = row_bytes,
                                      .ancestors = ancestors.data(),
                                      .length = length,
                                      .query = query.data(),
                                      .num_heads = kHeads,
                                      .key_value_heads = kHeads,
                                      .head_width = kHeadWidth,
                                      .output = output.data()};
      char name[64];
      std::snprintf(name, sizeof name, "cached_attention, %zu positions, %s", length, kTypes[i]);
      measure(name, [&] { cached_attention(row, scratch.data()); });
    }
  }
}

void bench_ssru() {
  const std::vector<float> input = numbers(2 * kWidth, 3.0f);
  std::vector<float> state(kWidth), output(kWidth);
  const SsruOptions o = {.rows = 1,
                         .width = kWidth,
                         .input = input.data(),
                         .previous = state.data(),
                         .next = state.data(),
                         .output = output.data()};
  measure("ssru_step, 1 row of 256", [&] { ssru_step(o); });
}

void bench_activation() {
  const std::vector<float> input = numbers(1536, 4.0f);
  std::vector<float> output(1536);
  measure("relu, 1536", [&] { activate(Activation::kRelu, input.data(), 1536, output.data()); });
  measure("swish, 1536", [&] { activate(Activation::kSwish, input.data(), 1536, output.data()); });
  measure("gelu_erf, 1536", [&] { activate(Activation::kGeluErf, input.data(), 1536, output.data()); });
}

void bench_embed() {
  const std::vector<int8_t> table = bytes(kVocabulary * kWidth);
  const std::vector<float> scales = numbers(kVocabulary), positions = numbers(kWidth);
  std::vector<float> output(kWidth);
  const int32_t id = 777, position = 0;
  const EmbedOptions o = {.rows = 1,
                          .width = kWidth,
                          .ids = &id,
                          .table_rows = kVocabulary,
                          .table_i8 = table.data(),
                          .table_scales = scales.data(),
                          .multiplier = 16.0f,
                          .positions = positions.data(),
                          .position_ids = &position,
                          .position_rows = 1,
                          .output = output.data()};
  measure("embed_rows, 1 int8 row of 256, position", [&] { embed_rows(o); });
}

void bench_logits() {
  const std::vector<int8_t> table = bytes(kVocabulary * kWidth), activation = bytes(kWidth);
  const std::vector<float> scales = numbers(kVocabulary, 0.01f), bias = numbers(kVocabulary), floats = numbers(kWidth);
  std::vector<int32_t> sums(kVocabulary);
  for (size_t i = 0; i < table.size(); ++i) sums[i / kWidth] += table[i];
  const LogitsWeights w = {.vocabulary = kVocabulary,
                           .width = kWidth,
                           .i8 = table.data(),
                           .scales = scales.data(),
                           .row_sums = sums.data(),
                           .bias = bias.data()};
  std::vector<int32_t> allowed;
  for (int32_t id = 0; allowed.size() < 1100; id += id % 3 == 0 ? 50 : 7) allowed.push_back(id);
  const int32_t unknown = 1;
  LogitsRow row = {.i8 = activation.data(),
                   .quantization = {3, 0.01f},
                   .allowed = allowed.data(),
                   .num_allowed = allowed.size(),
                   .suppressed = &unknown,
                   .num_suppressed = 1};
  TopK top;
  measure("logits_top_k, 1100 of 32000 x 256, k = 1", [&] { logits_top_k(w, &row, 1, 1, &top); });
  measure("logits_top_k, 1100 of 32000 x 256, k = 8", [&] { logits_top_k(w, &row, 1, 8, &top); });
  // As in a decode step, where other weights pass through the cache in between (their reading is not counted).
  std::vector<char> others(2 << 20, 1);
  measure_cold(
      "logits_top_k, 1100 of 32000 x 256, k = 1, cold", [&] { logits_top_k(w, &row, 1, 1, &top); }, others);
  row.allowed = nullptr;
  measure("logits_top_k, all 32000 x 256, k = 1", [&] { logits_top_k(w, &row, 1, 1, &top); });
  row.i8 = nullptr;
  row.f32 = floats.data();
  row.allowed = allowed.data();
  measure("logits_top_k, 1100 x 256, f32 rows, k = 1", [&] { logits_top_k(w, &row, 1, 1, &top); });
}

void bench_softmax() {
  const std::vector<float> input = numbers(1100, 5.0f);
  std::vector<float> output(1100);
  measure("softmax, 1100", [&] { softmax(input.data(), 1100, output.data()); });
}

}  // namespace
}  // namespace dragoman::kernels

int main(int argc, char** argv) {
  using namespace dragoman::kernels;
  for (int64_t target : supported_targets()) {
    if (argc > 1 && std::strcmp(argv[1], target_name(target)) != 0) continue;
    force_target(target);
    std::printf("%s\n", target_name(target));
#define DRAGOMAN_KERNEL(name) bench_##name();
#include "kernels/kernel_list.inc"
#undef DRAGOMAN_KERNEL
  }
}
