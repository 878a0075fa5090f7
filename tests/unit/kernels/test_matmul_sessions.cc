// What matrix products allocate, share between sessions and refuse.
// Neighbours: runtime/kernels/matmul.h and packed_weights.h are under test; matmul_problem.h makes the operands.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "../../support/allocation_counter.h"
#include "kernels/matmul.h"
#include "matmul_problem.h"

namespace dragoman::kernels {

TEST_CASE("matmul: what prepare() announces is what every session pays, and all of it comes back") {
  const Problem problem(256, 768);
  for (const MatmulSpec& spec : problem.specs()) {
    PackedWeights weights;
    const auto announced = Matmul::prepare(spec, weights);
    REQUIRE(announced.ok());
    CHECK(announced.value() > 0);
    CHECK(weights.count() == 1);
    const size_t packed_bytes = weights.bytes();
    CHECK(packed_bytes >= 256 * 768 * element_bytes(spec.weight_type));
    weights.seal();
    HeapAccount account;
    {
      Matmul sessions[3];
      for (size_t s = 0; s < 3; ++s) {
        REQUIRE(Matmul::create(spec, weights, account, &sessions[s]).ok());
        CHECK(account.bytes == (s + 1) * announced.value());
        CHECK(account.blocks == s + 1);
      }
      Matmul moved = std::move(sessions[0]);
      sessions[1] = std::move(moved);
      CHECK(account.bytes == 3 * announced.value());  // the replaced one waits in `moved`
    }
    CHECK(account.bytes == 0);
    CHECK(account.blocks == 0);
    CHECK(weights.bytes() == packed_bytes);
    CHECK(weights.count() == 1);
  }
  CHECK(process_heap_account().bytes == 0);
}

TEST_CASE("matmul: the accounts hold every byte asked of malloc") {
  if (!dragoman::test::allocation_counter_works()) SKIP("malloc is not counted in this build");
  const Problem problem(100, 77);
  for (const MatmulSpec& spec : {problem.int8_spec(), problem.float_spec(ElementType::kF32)}) {
    // XNNPACK and cpuinfo set themselves up at the first product of a kind; see the next test.
    Product first(spec);
    PackedWeights weights;
    HeapAccount account;
    dragoman::test::reset_allocation_count();
    Matmul matmul;
    const bool created = Matmul::create(spec, weights, account, &matmul).ok();
    const size_t bytes = dragoman::test::allocation_bytes();
    const size_t calls = dragoman::test::allocation_count();
    REQUIRE(created);
    CHECK(bytes == account.bytes + weights.bytes());
    CHECK(calls == account.blocks + weights.count());
  }
}

TEST_CASE("matmul: running never allocates, whatever the rows, kinds and threads") {
  if (!dragoman::test::allocation_counter_works()) SKIP("malloc is not counted in this build");
  const Problem problem(256, 1536);
  const ThreadPool pools[] = {make_pool(1), make_pool(2), make_pool(4)};
  for (const MatmulSpec& spec : problem.specs()) {
    Product product(spec);
    std::vector<float> out(kMostRows * spec.outputs);
    bool ran = true;
    dragoman::test::reset_allocation_count();
    for (const ThreadPool& pool : pools) {
      for (size_t rows = 0; rows <= kMostRows; ++rows) {
        ran = ran && product.matmul.run(problem.rows(spec, 0, rows), out.data(), pool);
      }
    }
    const size_t calls = dragoman::test::allocation_count();
    CHECK(ran);
    CHECK(calls == 0);
  }
}

TEST_CASE("matmul: sessions in several threads share packed weights while they are made") {
  const Problem problems[] = {Problem(100, 77), Problem(256, 256), Problem(77, 100)};
  std::vector<std::vector<float>> expected;
  for (const Problem& problem : problems) expected.push_back(reference(problem, problem.int8_spec(), 5));
  PackedWeights weights;
  bool good[4] = {};
  const auto session = [&](size_t s) {
    const auto pool = ThreadPool::create(1);
    bool all = pool.ok();
    HeapAccount account;
    std::vector<RowQuantization> quantization[3];  // a session's rows are its own
    for (size_t p = 0; p < 3; ++p) quantization[p] = problems[p].quantization;
    for (size_t round = 0; all && round < 30; ++round) {
      const size_t p = (s + round) % 3;
      const MatmulSpec spec = problems[p].int8_spec();
      Matmul matmul;
      std::vector<float> out(5 * spec.outputs);
      all = Matmul::create(spec, weights, account, &matmul).ok() &&
            matmul.run(MatmulRows(problems[p].int8_rows.data(), quantization[p].data(), 5), out.data(), pool.value()) &&
            same_as_reference(spec, out, expected[p]);
    }
    good[s] = all && account.bytes == 0;
  };
  std::vector<std::thread> threads;
  for (size_t s = 0; s < 4; ++s) threads.emplace_back(session, s);
  for (std::thread& thread : threads) thread.join();
  for (const bool one : good) CHECK(one);
  CHECK(weights.count() == 3);
}

TEST_CASE("matmul: equal weights with other scales or bias are packed apart") {
  const ThreadPool pool = make_pool(1);
  Problem problem(16, 8);
  PackedWeights weights;
  HeapAccount account;
  const std::vector<float> doubled(8, 2.0F);
  MatmulSpec other = problem.int8_spec();
  other.scales = doubled.data();
  other.bias = nullptr;
  for (const MatmulSpec& spec : {problem.int8_spec(), other}) {
    Matmul matmul;
    REQUIRE(Matmul::create(spec, weights, account, &matmul).ok());
    std::vector<float> found(3 * 8);
    REQUIRE(matmul.run(problem.rows(spec, 0, 3), found.data(), pool));
    CHECK(same_as_reference(spec, found, reference(problem, spec, 3)));
  }
  CHECK(weights.count() == 2);
}

TEST_CASE("matmul: what cannot be right is refused by name") {
  const Problem problem(16, 8);
  const auto refusal = [&](const MatmulSpec& spec) {
    PackedWeights weights;
    HeapAccount account;
    Matmul matmul;
    const Status status = Matmul::create(spec, weights, account, &matmul);
    CHECK(std::strncmp(status.message(), "matrix product", 14) == 0);
    CHECK(account.bytes == 0);
    CHECK(weights.bytes() == 0);
    return status.code();
  };
  const auto with = [&](auto change) {
    MatmulSpec spec = problem.int8_spec();
    change(spec);
    return refusal(spec);
  };
  CHECK(with([](MatmulSpec& s) { s.inputs = 0; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.outputs = 0; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.outputs = SIZE_MAX / 2; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.weights = nullptr; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.scales = nullptr; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.input_stride = 15; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.output_stride = 7; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.output_min = NAN; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.output_min = s.output_max; }) == Code::kInvalidArgument);
  CHECK(with([](MatmulSpec& s) { s.weight_type = ElementType::kF32; }) == Code::kUnsupported);
  CHECK(with([](MatmulSpec& s) { s.weight_type = ElementType::kF16; }) == Code::kUnsupported);
  CHECK(with([](MatmulSpec& s) { s.inputs = s.input_stride = kMaxQuantizedInputs + 1; }) == Code::kUnsupported);
  for (const float bad : {0.0F, -1.0F, NAN, INFINITY, 1e-40F}) {
    std::vector<float> scales(8, 1.0F);
    scales[7] = bad;
    CHECK(with([&](MatmulSpec& s) { s.scales = scales.data(); }) == Code::kInvalidArgument);
  }
  const std::vector<float> bias(8, INFINITY);
  CHECK(with([&](MatmulSpec& s) { s.bias = bias.data(); }) == Code::kInvalidArgument);
}

TEST_CASE("matmul: a sealed set refuses what was not prepared, a product refuses rows of the other kind") {
  const ThreadPool pool = make_pool(1);
  const Problem problem(16, 8);
  PackedWeights weights;
  HeapAccount account;
  Matmul matmul;
  std::vector<float> out(8);
  CHECK_FALSE(matmul.run(problem.rows(problem.int8_spec(), 0, 1), out.data(), pool));
  weights.seal();
  CHECK(Matmul::create(problem.int8_spec(), weights, account, &matmul).code() == Code::kInternal);
  CHECK(account.bytes == 0);
  CHECK(weights.bytes() == 0);
  Product product(problem.int8_spec());
  CHECK_FALSE(product.matmul.run(MatmulRows(problem.float_rows.data(), 1), out.data(), pool));
}

}  // namespace dragoman::kernels
