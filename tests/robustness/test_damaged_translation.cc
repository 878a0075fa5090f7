// Damaged models that open are also used: a session within bounded memory, and a translation that ends.
// Neighbours: damage.h makes the variants; test_damaged_files.cc covers opening in full.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <fstream>
#include <iterator>

#include "tests/robustness/damage.h"
#include "tests/robustness/use_damaged.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/translation.h"

#if defined(__SANITIZE_ADDRESS__)
#define DRAGOMAN_SLOW_BUILD 1
#else
#define DRAGOMAN_SLOW_BUILD 0
#endif

namespace dragoman {
namespace {

using test::Uses;

constexpr std::string_view kText = "a cat  has\tseen \xff the d\xc3\xb3g. Q b. </s>\n and 1 more";

struct Limits {
  uint64_t max_session_bytes = 0;
  float max_length_factor = 0.5f;
};

void translate(dragoman_session* session, const Limits& limits, Uses* uses) {
  char out[4096];
  size_t needed = 0;
  dragoman_translate_options options = dragoman_default_translate_options();
  options.max_length_factor = limits.max_length_factor;
  for (const bool shortlist : {true, false}) {
    options.shortlist = shortlist;
    const dragoman_code code =
        dragoman_translate_text(session, kText.data(), kText.size(), &options, out, sizeof(out), &needed, nullptr);
    uses->count(code == DRAGOMAN_LIMIT ? DRAGOMAN_OK : code);
  }
}

bool open_and_translate(std::span<const std::byte> file, const Limits& limits, Uses* uses) {
  dragoman_session_options options = test::batch_options(2);
  options.max_source_tokens = 32;
  return test::open_and_use(
      file, options, limits.max_session_bytes, uses,
      [&limits, uses](const dragoman_model*, dragoman_session* session) { translate(session, limits, uses); });
}

TEST_CASE("MF-01: damaged models that open translate within their limits") {
  const test::AlignedBytes original = test::tiny_model();
  Uses uses;
  const Limits limits = {64u << 20};
  REQUIRE(open_and_translate(original.span(), limits, &uses));
  REQUIRE(uses.translated == 2);
  test::DamageOptions options;
  options.keep_every = DRAGOMAN_SLOW_BUILD ? 10 : 5;
  options.random_flips = options.random_numbers = 20000;
  const test::DamageReport report =
      test::damage_everywhere(original.span(), options,
                              [&](std::span<const std::byte> file) { return open_and_translate(file, limits, &uses); });
  CAPTURE(report.variants, report.accepted, uses.sessions, uses.refused_sessions, uses.too_big, uses.failed);
  CAPTURE(report.slowest.kind, report.slowest.position, report.slowest.value, report.slowest_ms);
  CHECK(report.variants >= 10000);
  CHECK(report.accepted > 1000);
  CHECK(uses.sessions > 1000);
  CHECK(uses.too_big + uses.refused_sessions < report.accepted / 10);
  CHECK(uses.translated > uses.failed);
  CHECK(report.slowest_ms < 5000.0);
}

test::AlignedBytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  return test::AlignedBytes(std::as_bytes(std::span(bytes)));
}

TEST_CASE("MF-01: damaged variants of the real model", "[long]") {
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  const test::AlignedBytes original = read_file(real->path);
  Uses uses;
  const Limits limits = {256u << 20, 1.0f};
  REQUIRE(open_and_translate(original.span(), limits, &uses));
  test::DamageOptions options;
  options.keep_every = 700;
  options.random_flips = options.random_numbers = 40000;
  const test::DamageReport report =
      test::damage_everywhere(original.span(), options,
                              [&](std::span<const std::byte> file) { return open_and_translate(file, limits, &uses); });
  CAPTURE(report.variants, report.accepted, uses.sessions, uses.refused_sessions, uses.too_big, uses.failed);
  CAPTURE(report.slowest.kind, report.slowest.position, report.slowest.value, report.slowest_ms);
  CAPTURE(report.most_allocating.kind, report.most_allocating.position, report.most_allocating.value);
  CHECK(report.variants >= 200);
  CHECK(report.accepted > 20);
  CHECK(report.slowest_ms < 20000.0);
}

TEST_CASE("opening the real model, its packed weights included, allocates at most twice its size") {
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  const test::AlignedBytes file = read_file(real->path);
  dragoman_model* model = nullptr;
  test::reset_allocation_count();
  const dragoman_code code = dragoman_model_open_memory(file.span().data(), file.size(), nullptr, &model, nullptr);
  const size_t bytes = test::allocation_bytes();
  REQUIRE(code == DRAGOMAN_OK);
  CHECK(bytes <= 2 * file.size());
  dragoman_model_close(model);
}

}  // namespace
}  // namespace dragoman
