// Damaged models of every family with a cached decoder: what opens is used with a beam, a small cache and attention.
// Neighbours: damage.h makes the variants; test_damaged_translation.cc does the same with a student.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/robustness/damage.h"
#include "tests/robustness/use_damaged.h"
#include "tests/support/converted_family.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::Uses;

constexpr uint64_t kMaxSessionBytes = 64u << 20;
constexpr uint32_t kMaxLength = 6;

bool check_segment(void* user, const dragoman_segment* segment) {
  auto* uses = static_cast<Uses*>(user);
  bool good = segment->num_ids >= 1 && segment->num_ids <= kMaxLength && segment->attention != nullptr;
  for (size_t i = 0; i < segment->num_ids && good; ++i) {
    good = segment->alignment[i] >= 0 && static_cast<size_t>(segment->alignment[i]) < segment->num_source_ids;
  }
  uses->wrong += good ? 0 : 1;
  return true;
}

void translate(dragoman_session* session, Uses* uses) {
  const int32_t ids[] = {5, 9, 17, 11, 1};
  const dragoman_ids inputs[] = {{ids, 5}, {ids + 2, 2}};
  const dragoman_sink sink = {uses, check_segment, nullptr};
  for (const uint32_t beam : {4u, 1u}) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.beam = beam;
    options.max_length = kMaxLength;
    options.max_length_factor = 1000;
    options.attention = true;
    options.coverage_penalty = beam == 4 ? 0.2f : 0.0f;
    uses->count(dragoman_translate_ids(session, inputs, 2, &options, &sink, nullptr));
  }
}

bool open_and_translate(std::span<const std::byte> file, dragoman_cache_type cache_type, Uses* uses) {
  dragoman_session_options options = test::batch_options(2);
  options.max_source_tokens = 8;
  options.max_target_tokens = kMaxLength;
  options.max_beam = 4;
  options.cache_type = cache_type;
  options.attention = true;
  return test::open_and_use(file, options, kMaxSessionBytes, uses,
                            [uses](const dragoman_model*, dragoman_session* session) { translate(session, uses); });
}

TEST_CASE("MF-01: damaged models of every family translate within their limits") {
  size_t turn = 0;
  for (const char* family : test::kFamilies) {
    const test::AlignedBytes original = test::converted_family(family);
    const auto cache_type = static_cast<dragoman_cache_type>(turn++ % 3);
    Uses uses;
    REQUIRE(open_and_translate(original.span(), cache_type, &uses));
    REQUIRE(uses.translated == 2);
    test::DamageOptions options;
    options.keep_every = 60;
    options.first_bytes = 2048;
    options.random_flips = options.random_numbers = 12000;
    const test::DamageReport report = test::damage_everywhere(
        original.span(), options,
        [&](std::span<const std::byte> file) { return open_and_translate(file, cache_type, &uses); });
    CAPTURE(family);
    test::check_uses(report, uses);
  }
}

}  // namespace
}  // namespace dragoman
