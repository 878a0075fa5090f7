// Row-selected logits: exact int32 sums, documented rounding, top-k with ties, suppression, parts, neighbours.
#include <algorithm>
#include <limits>
#include <numeric>

#include "kernel_check.h"
#include "kernels/half.h"
#include "kernels/logits.h"

namespace dragoman::kernels::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

enum class Types { kInt8, kFloatInt8, kFloat, kFloatHalf, kFloatInt4 };

// A projection and one activation row; ids for a shortlist.
struct Projection {
  Projection(size_t vocabulary, size_t width, Types types, uint64_t seed)
      : types(types),
        bytes(vocabulary * width),
        floats(vocabulary * width),
        scales(vocabulary),
        bias(vocabulary),
        sums(vocabulary),
        activation_bytes(width),
        activation(width) {
    Random random(seed);
    for (int8_t& w : bytes.span()) w = random.byte();
    for (int8_t& a : activation_bytes.span()) a = random.byte();
    fill(floats.span(), random, 1.0f);
    fill(activation.span(), random, 1.0f);
    fill(bias.span(), random, 1.0f);
    for (float& s : scales.span()) s = 0.01f + std::fabs(random.real(0.01f));
    for (size_t r = 0; r < vocabulary; ++r) {
      for (size_t k = 0; k < width; ++k) sums[r] += bytes[r * width + k];
    }
    weights = {.vocabulary = vocabulary, .width = width, .bias = bias.data()};
    if (types == Types::kFloatHalf || types == Types::kFloatInt4) {
      make_small_floats(random);
    } else if (types == Types::kFloat) {
      weights.f32 = floats.data();
    } else {
      weights.i8 = bytes.data();
      weights.scales = scales.data();
      weights.row_sums = sums.data();
    }
  }
  // Halves or int4, and in `floats` what they stand for.
  void make_small_floats(Random& random) {
    const size_t width = weights.width, rows = weights.vocabulary;
    if (types == Types::kFloatHalf) {
      for (float& w : floats.span()) halves.push_back(half_from_float(w)), w = float_from_half(halves.back());
      weights.f16 = halves.data();
      return;
    }
    for (size_t i = 0; i < rows * width / 2; ++i) int4.push_back(static_cast<uint8_t>(random.bits()));
    for (size_t i = 0; i < rows * width / kInt4Block; ++i) {
      halves.push_back(static_cast<uint16_t>(0x3D00 + random.below(256)));
    }
    weights.i4 = {int4.data(), halves.data()};
    for (size_t i = 0; i < rows * width; ++i) floats[i] = weights.i4.row(i / width, width).value(i % width);
  }
  bool floating() const { return types != Types::kInt8 && types != Types::kFloatInt8; }
  LogitsRow row(const std::vector<int32_t>* allowed) {
    LogitsRow r;
    if (types == Types::kInt8) {
      r.i8 = activation_bytes.data();
      r.quantization = {-37, 0.011f};
    } else {
      r.f32 = activation.data();
    }
    if (allowed != nullptr) {
      r.allowed = allowed->data();
      r.num_allowed = allowed->size();
    }
    return r;
  }
  Types types;
  Guarded<int8_t> bytes;
  Guarded<float> floats, scales, bias;
  std::vector<int32_t> sums;
  std::vector<uint16_t> halves;
  std::vector<uint8_t> int4;
  Guarded<int8_t> activation_bytes;
  Guarded<float> activation;
  LogitsWeights weights;
};

Expected expect_logit(Projection& p, const LogitsRow& row, size_t id) {
  const size_t width = p.weights.width;
  double value = 0, magnitude = 0;
  for (size_t k = 0; k < width; ++k) {
    const double w = p.floating() ? static_cast<double>(p.floats[id * width + k]) : p.bytes[id * width + k];
    const double a = row.i8 != nullptr ? row.i8[k] - row.quantization.zero_point : static_cast<double>(row.f32[k]);
    value += a * w;
    magnitude += std::fabs(a * w);
  }
  double factor = p.floating() ? 1.0 : static_cast<double>(p.scales[id]);
  // Integer sums are exact; float sums pass width / 64 + 8 additions.
  double error = row.i8 != nullptr ? 0.0 : (static_cast<double>(width) / 64 + 9) * kUnit * magnitude;
  if (row.i8 != nullptr) factor *= static_cast<double>(row.quantization.scale);
  const double bias = p.bias[id];
  error = error * factor + 4 * kUnit * (std::fabs(value * factor) + std::fabs(bias));
  return {value * factor + bias, error};
}

void require_same(const TopK& got, const TopK& want) {
  REQUIRE(got.count == want.count);
  for (size_t i = 0; i < want.count; ++i) {
    REQUIRE(got.ids[i] == want.ids[i]);
    REQUIRE(got.logits[i] == want.logits[i]);
  }
  REQUIRE(got.log_sum_exp == want.log_sum_exp);
}

// The top k and log-sum-exp that the written logits imply.
void require_consistent(const TopK& top, std::span<const float> logits, const LogitsRow& row, size_t k) {
  std::vector<size_t> order;
  double sum = 0;
  const float max = logits.empty() ? 0.0f : *std::max_element(logits.begin(), logits.end());
  for (size_t c = 0; c < logits.size(); ++c) {
    if (logits[c] == -kInfinity) continue;
    order.push_back(c);
    sum += std::exp(static_cast<double>(logits[c]) - static_cast<double>(max));
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  REQUIRE(top.count == std::min(k, order.size()));
  for (size_t i = 0; i < top.count; ++i) {
    const int32_t id = row.allowed != nullptr ? row.allowed[order[i]] : static_cast<int32_t>(order[i]);
    REQUIRE(top.ids[i] == id);
    REQUIRE(top.logits[i] == logits[order[i]]);
  }
  if (order.empty()) {
    REQUIRE(top.log_sum_exp == -kInfinity);
  } else {
    const double total = static_cast<double>(max) + std::log(sum);
    REQUIRE(std::fabs(static_cast<double>(top.log_sum_exp) - total) <= 1e-6 * (1 + std::fabs(total)));
  }
}

void check_row(Projection& p, const std::vector<int32_t>* allowed, size_t k, bool fused) {
  const size_t columns = allowed != nullptr ? allowed->size() : p.weights.vocabulary;
  const int32_t suppressed[] = {static_cast<int32_t>(p.weights.vocabulary / 2), 1, 1 << 30, -1};
  LogitsRow row = p.row(allowed);
  row.suppressed = suppressed;
  row.num_suppressed = std::size(suppressed);
  Guarded<float> body(columns), reference(columns);
  TopK top, expected_top, plain;
  row.logits = reference.data();
  reference::logits_top_k(p.weights, &row, 1, k, &expected_top);
  row.logits = body.data();
  logits_top_k(p.weights, &row, 1, k, &top);
  REQUIRE(body.intact());
  std::vector<float> got, want;
  std::vector<Expected> expected;
  for (size_t c = 0; c < columns; ++c) {
    const int32_t id = allowed != nullptr ? (*allowed)[c] : static_cast<int32_t>(c);
    if (std::find(std::begin(suppressed), std::end(suppressed), id) != std::end(suppressed)) {
      REQUIRE(body[c] == -kInfinity);
      REQUIRE(reference[c] == -kInfinity);
      continue;
    }
    got.push_back(body[c]);
    want.push_back(reference[c]);
    expected.push_back(expect_logit(p, row, static_cast<size_t>(id)));
  }
  judge(got, want, expected, fused);
  require_consistent(top, body.span(), row, k);
  require_consistent(expected_top, reference.span(), row, k);
  if (fused) require_same(top, expected_top);
  row.logits = nullptr;
  logits_top_k(p.weights, &row, 1, k, &plain);
  require_same(plain, top);
}

std::vector<int32_t> every(size_t vocabulary, size_t step, size_t count) {
  std::vector<int32_t> ids;
  ids.reserve(count + 1);  // a null pointer would mean every id
  for (size_t id = 0; id < vocabulary && ids.size() < count; id += step) ids.push_back(static_cast<int32_t>(id));
  return ids;
}

void check_sizes(Types types, bool fused) {
  for (size_t width : {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 129, 256, 300}) {
    if (types == Types::kFloatInt4 && width % kInt4Block != 0) continue;
    Projection p(301, width, types, width);
    for (size_t count : {0, 1, 2, 15, 16, 17, 33, 100}) {
      const std::vector<int32_t> ids = every(301, 3, count);
      check_row(p, &ids, count % 5 == 0 ? 5 : 1, fused);
    }
    check_row(p, nullptr, 32, fused);
  }
  Projection small(7, types == Types::kFloatInt4 ? 32 : 20, types, 3);
  check_row(small, nullptr, 4, fused);
  check_row(small, nullptr, 0, fused);
}

// u8 x i8 kernels that add pairs in 16 bits saturate on these.
void check_extreme_bytes() {
  for (size_t width : {64, 63, 200, 4096}) {
    std::vector<int8_t> weights(4 * width), activation(width, 127);
    for (size_t k = 0; k < width; ++k) {
      weights[k] = 127;
      weights[width + k] = -128;
      weights[2 * width + k] = k % 2 == 0 ? 127 : -128;
      weights[3 * width + k] = k % 2 == 0 ? -128 : 127;
    }
    int32_t sums[4] = {};
    for (size_t i = 0; i < weights.size(); ++i) sums[i / width] += weights[i];
    const float ones[4] = {1, 1, 1, 1};
    const LogitsWeights w = {.vocabulary = 4, .width = width, .i8 = weights.data(), .scales = ones, .row_sums = sums};
    for (int8_t value : {int8_t{127}, int8_t{-128}}) {
      for (int32_t zero_point : {-128, 0, 127}) {
        activation.assign(width, value);
        float logits[4];
        const LogitsRow row = {.i8 = activation.data(), .quantization = {zero_point, 1.0f}, .logits = logits};
        TopK top;
        logits_top_k(w, &row, 1, 4, &top);
        for (size_t i = 0; i < 4; ++i) REQUIRE(logits[i] == static_cast<float>((value - zero_point) * sums[i]));
      }
    }
  }
  REQUIRE(255 * 127 * 64 == 2072640);
}

// Equal logits: the lowest id; columns behind the end never win over very negative logits.
void check_ties() {
  std::vector<float> weights(40, 0.0f), bias(40, -50.0f), activation(1, 1.0f);
  bias[17] = bias[3] = bias[39] = -20.0f;
  const LogitsWeights w = {.vocabulary = 40, .width = 1, .f32 = weights.data(), .bias = bias.data()};
  LogitsRow row = {.f32 = activation.data()};
  TopK top;
  logits_top_k(w, &row, 1, 5, &top);
  REQUIRE(top.count == 5);
  const int32_t want[] = {3, 17, 39, 0, 1};
  for (size_t i = 0; i < 5; ++i) REQUIRE(top.ids[i] == want[i]);
  logits_top_k(w, &row, 1, 1, &top);
  REQUIRE(top.ids[0] == 3);
  bias[8] = std::nanf("");
  bias[9] = -kInfinity;
  logits_top_k(w, &row, 1, 32, &top);
  REQUIRE(top.count == 32);
  for (size_t i = 0; i < top.count; ++i) REQUIRE((top.ids[i] != 8 && top.ids[i] != 9));
  REQUIRE(std::isfinite(top.log_sum_exp));
  activation[0] = std::nanf("");
  logits_top_k(w, &row, 1, 1, &top);
  REQUIRE(top.count == 0);
}

// Many rows of different activations at once, with scratch for all or for some of them, give the bits of each row
// alone.
void check_many_rows(Types types) {
  for (const size_t width : {32u, 48u, 20u, 256u}) {
    Projection p(kLogitsPartColumns + (width == 256 ? 256 : 77), width, types, 11);
    constexpr size_t kRows = 27;
    Guarded<int8_t> bytes(kRows * width);
    Guarded<float> floats(kRows * width);
    Random random(width);
    for (int8_t& a : bytes.span()) a = random.byte();
    fill(floats.span(), random, 1.0f);
    const int32_t suppressed[] = {3, 4097};
    std::vector<LogitsRow> rows;
    std::vector<float> all(kRows * p.weights.vocabulary), all_alone(p.weights.vocabulary);
    for (size_t i = 0; i < kRows; ++i) {
      LogitsRow row = p.row(nullptr);
      if (row.i8 != nullptr) row.i8 = bytes.data() + i * width;
      if (row.f32 != nullptr) row.f32 = floats.data() + i * width;
      row.quantization = {static_cast<int32_t>(i) - 13, 0.002f * static_cast<float>(i + 1)};
      row.suppressed = suppressed;
      row.num_suppressed = i % 3;
      row.banned = i % 2 == 0 ? static_cast<int32_t>(i) : -1;
      row.logits = all.data() + i * p.weights.vocabulary;
      rows.push_back(row);
    }
    const size_t most = logits_scratch_bytes(width, kRows);
    for (const size_t scratch_bytes : {most, logits_scratch_bytes(width, 9), size_t{0}}) {
      Scratch scratch(scratch_bytes);
      std::vector<TopK> together(kRows);
      logits_top_k(p.weights, rows.data(), kRows, 6, together.data(),
                   std::as_writable_bytes(std::span(scratch.data(), scratch_bytes / sizeof(float))));
      for (size_t i = 0; i < kRows; ++i) {
        LogitsRow row = rows[i];
        row.logits = all_alone.data();
        TopK alone;
        logits_top_k(p.weights, &row, 1, 6, &alone);
        require_same(together[i], alone);
        REQUIRE(std::equal(all_alone.begin(), all_alone.end(), rows[i].logits));
      }
    }
  }
}

// Rows beside each other, and one row in parts, give the bits of each row alone.
void check_company(Types types, bool fused) {
  Projection p(2 * kLogitsPartColumns + 77, types == Types::kFloatInt4 ? 32 : 24, types, 5);
  const std::vector<int32_t> ids = every(p.weights.vocabulary, 2, kLogitsPartColumns + 300);
  std::vector<LogitsRow> rows;
  for (size_t i = 0; i < 11; ++i) rows.push_back(p.row(i % 4 == 3 ? &ids : nullptr));
  std::vector<TopK> together(rows.size());
  logits_top_k(p.weights, rows.data(), rows.size(), 6, together.data());
  for (size_t i = 0; i < rows.size(); ++i) {
    TopK alone;
    logits_top_k(p.weights, &rows[i], 1, 6, &alone);
    require_same(together[i], alone);
  }
  check_many_rows(types);
  TopK parts[3], joined, reference_top;
  for (size_t i = 0; i < 3; ++i) {
    const LogitsPart part = {i * kLogitsPartColumns, std::min((i + 1) * kLogitsPartColumns, p.weights.vocabulary)};
    logits_top_k_part(p.weights, rows[0], part, 6, parts + i);
  }
  merge_top_k(parts, 3, 6, &joined);
  require_same(joined, together[0]);
  reference::logits_top_k(p.weights, rows.data(), 1, 6, &reference_top);
  if (fused) require_same(joined, reference_top);
}

}  // namespace

void check_logits(bool fused) {
  for (Types types : {Types::kInt8, Types::kFloatInt8, Types::kFloat, Types::kFloatHalf, Types::kFloatInt4}) {
    check_sizes(types, fused);
    check_company(types, fused);
  }
  check_extreme_bytes();
  check_ties();
}

}  // namespace dragoman::kernels::test
