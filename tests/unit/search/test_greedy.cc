// Greedy search over hand-made scores: no network behind the step interface.
#include "search/greedy.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace dragoman::search {
namespace {

constexpr int32_t kEnd = 0;

// Each sentence has a script: the id that is best at each position, with log-probability -1/2.
class ScriptedNetwork final : public engine::DecoderStep {
 public:
  std::vector<std::vector<int32_t>> scripts;
  std::vector<std::vector<engine::StepRow>> calls;
  float log_sum_exp = 2.5f;
  size_t count = 1;

  void step(std::span<const engine::StepRow> rows, size_t, std::span<kernels::TopK> top) override {
    calls.emplace_back(rows.begin(), rows.end());
    for (size_t i = 0; i < rows.size(); ++i) {
      top[i].count = count;
      top[i].ids[0] = scripts[rows[i].sentence][static_cast<size_t>(rows[i].position)];
      top[i].logits[0] = 2.0f;
      top[i].log_sum_exp = log_sum_exp;
    }
  }
};

struct Fixture {
  explicit Fixture(size_t max_sentences) : finished(max_sentences) {
    Arena arena(block, sizeof(block));
    search.carve(max_sentences, &arena);
  }

  void start(uint32_t sentence, std::vector<int32_t>* ids) { search.start({sentence, *ids, 7, kEnd}); }

  std::vector<DecodeResult> advance() {
    Result<size_t> count = search.advance(network, finished);
    REQUIRE(count.ok());
    return {finished.begin(), finished.begin() + static_cast<ptrdiff_t>(count.value())};
  }

  alignas(kBufferAlignment) std::byte block[8192];
  GreedySearch search;
  ScriptedNetwork network;
  std::vector<DecodeResult> finished;
};

TEST_CASE("a sentence ends at its end id, which counts") {
  Fixture fixture(1);
  fixture.network.scripts = {{4, 5, kEnd}};
  std::vector<int32_t> ids(10, -9);
  fixture.start(0, &ids);
  CHECK(fixture.advance().empty());
  CHECK(fixture.advance().empty());
  const std::vector<DecodeResult> results = fixture.advance();
  REQUIRE(results.size() == 1);
  CHECK(results[0].num_ids == 3);
  CHECK(results[0].score == -1.5f);
  CHECK_FALSE(results[0].reached_limit);
  CHECK(std::vector<int32_t>(ids.begin(), ids.begin() + 4) == std::vector<int32_t>{4, 5, kEnd, -9});
  CHECK(fixture.search.num_live() == 0);
}

TEST_CASE("rows carry the history") {
  Fixture fixture(1);
  fixture.network.scripts = {{4, kEnd}};
  std::vector<int32_t> ids(10);
  fixture.start(0, &ids);
  fixture.advance();
  fixture.advance();
  REQUIRE(fixture.network.calls.size() == 2);
  const engine::StepRow first = fixture.network.calls[0][0];
  CHECK((first.previous_id == 7 && first.position == 0 && first.parent == -1 && first.slot == 0));
  const engine::StepRow second = fixture.network.calls[1][0];
  CHECK((second.previous_id == 4 && second.position == 1 && second.parent == 0 && second.slot == 0));
}

TEST_CASE("a full buffer ends a sentence and says so") {
  Fixture fixture(1);
  fixture.network.scripts = {{4, 5, 6}};
  std::vector<int32_t> ids(2);
  fixture.start(0, &ids);
  CHECK(fixture.advance().empty());
  const std::vector<DecodeResult> results = fixture.advance();
  REQUIRE(results.size() == 1);
  CHECK(results[0].reached_limit);
  CHECK(results[0].num_ids == 2);
}

TEST_CASE("an end id in the last place is not the limit") {
  Fixture fixture(1);
  fixture.network.scripts = {{4, kEnd}};
  std::vector<int32_t> ids(2);
  fixture.start(0, &ids);
  fixture.advance();
  CHECK_FALSE(fixture.advance()[0].reached_limit);
}

TEST_CASE("slots are refilled while others go on") {
  Fixture fixture(2);
  fixture.network.scripts = {{4, 4, 4, kEnd}, {kEnd}};
  std::vector<int32_t> long_ids(10);
  std::vector<int32_t> short_ids(10);
  fixture.start(0, &long_ids);
  for (size_t round = 0; round < 3; ++round) {
    fixture.start(1, &short_ids);
    const std::vector<DecodeResult> results = fixture.advance();
    REQUIRE(results.size() == 1);
    CHECK(results[0].sentence == 1);
    CHECK(fixture.search.num_live() == 1);
  }
  CHECK(fixture.advance()[0].sentence == 0);
}

TEST_CASE("DC-11: scores that are not finite are an error naming the step") {
  Fixture fixture(1);
  fixture.network.scripts = {{4, 4}};
  std::vector<int32_t> ids(10);
  fixture.start(0, &ids);
  fixture.advance();
  SECTION("nothing can be chosen") { fixture.network.count = 0; }
  SECTION("the sum is not a number") { fixture.network.log_sum_exp = std::numeric_limits<float>::quiet_NaN(); }
  const Result<size_t> result = fixture.search.advance(fixture.network, fixture.finished);
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().code() == Code::kNumerical);
  CHECK(std::string(result.status().message()).find("step 1") != std::string::npos);
}

}  // namespace
}  // namespace dragoman::search
