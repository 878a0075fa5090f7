// Damaged files are refused, or opened and then safe to read; in little time and memory. AddressSanitizer looks on in
// CI. Neighbours: damage.h makes the variants.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>

#include "model/file_header.h"
#include "model/model_view.h"
#include "tests/robustness/damage.h"
#include "tests/robustness/describe.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/converted_family.h"
#include "tests/support/model_builder.h"

namespace dragoman {
namespace {

// Opens a file and reads everything that the view offers; what opens is opened once more with all checks on.
bool open_and_walk(std::span<const std::byte> file) {
  const auto view = model::ModelView::open(file);
  if (!view.ok()) return false;
  const bool sound = model::ModelView::open(file, {.check_contents = true}).ok();
  return test::walk(view.value()) != 0 || sound;
}

TEST_CASE("MF-01: truncated and altered files never crash, hang or take memory") {
  const test::AlignedBytes original = test::tiny_model();
  REQUIRE(open_and_walk(original.span()));
  const test::DamageReport report = test::damage_everywhere(original.span(), {}, open_and_walk);
  CAPTURE(report.slowest.kind, report.slowest.position, report.slowest.value);
  CAPTURE(report.most_allocating.kind, report.most_allocating.position, report.most_allocating.value);
  CHECK(report.variants >= 10000);
  CHECK(report.accepted > 0);  // flips in weights are no error without checksums: else the walk tested nothing
  CHECK(report.accepted < report.variants / 2);
  CHECK(report.slowest_ms < 1000.0);  // typically below 1 ms, sanitizers below 20
  if (!test::allocation_counter_works()) {
    WARN("allocations cannot be counted in this build; the bound on them was not checked");
    return;
  }
  CHECK(report.most_allocated <= 2.0);
}

TEST_CASE("MF-01: no altered bit of header or description passes when checksums are asked for") {
  const test::AlignedBytes original = test::converted_family("marian");
  model::FileHeader header;
  std::memcpy(&header, original.span().data(), sizeof(header));
  const size_t end = static_cast<size_t>(header.model_offset + header.model_bytes);
  test::AlignedBytes file(original.span());
  REQUIRE(model::ModelView::open(file.span(), {.check_contents = true}).ok());
  for (size_t i = 0; i < end; ++i) {
    for (size_t bit = 0; bit < 8; ++bit) {
      if (i > 1024 && bit != i % 8) continue;  // tables and their layouts come first, where a bit has most effect
      file.span()[i] ^= std::byte{1} << bit;
      INFO("byte " << i << ", bit " << bit);
      REQUIRE_FALSE(model::ModelView::open(file.span(), {.check_contents = true}).ok());
      file.span()[i] ^= std::byte{1} << bit;
    }
  }
}

TEST_CASE("MF-01: bytes behind the end are refused") {
  const test::AlignedBytes original = test::tiny_model();
  for (const size_t garbage : {size_t{1}, size_t{63}, size_t{64}, size_t{4096}}) {
    test::AlignedBytes longer(original.size() + garbage);
    std::memcpy(longer.span().data(), original.span().data(), original.size());
    CHECK_FALSE(open_and_walk(longer.span()));
  }
}

TEST_CASE("a file of random bytes behind a good header is refused") {
  const test::AlignedBytes original = test::tiny_model();
  uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    test::AlignedBytes file(std::as_const(original).span());
    model::FileHeader header;
    std::memcpy(&header, file.span().data(), sizeof(header));
    // The identifier stays, so that the FlatBuffer verifier looks further.
    for (size_t i = 64; i < 64 + header.model_bytes; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if (i < 68 || i >= 72) file.span()[i] = static_cast<std::byte>(state >> 56);
    }
    file.span()[66] = file.span()[67] = std::byte{0};  // a root offset that often lies inside
    CHECK_FALSE(open_and_walk(file.span()));
  }
}

// Many names for one big range cost little in the file and must cost little to check.
TEST_CASE("shared ranges do not multiply the work") {
  constexpr uint64_t kRows = 1u << 18;
  test::ModelBuilder b = test::tiny_model_builder();
  const uint32_t scales = b.add("scales", schema::TensorType::F32, {kRows}, std::vector<float>(kRows, 1.0f));
  const uint32_t weights = b.add("weights", schema::TensorType::I8, {kRows, 1}, std::vector<int8_t>(kRows, 1));
  for (int i = 0; i < 2000; ++i) b.add_alias(std::to_string(i) + "w", schema::TensorType::I8, {kRows, 1}, weights);
  const test::AlignedBytes names = b.finish();
  CHECK(model::ModelView::open(names.span()).ok());
  const auto read_all = model::ModelView::open(names.span(), {.check_contents = true});
  CHECK(std::string(read_all.status().message()).find("add up to 4 times the file") != std::string::npos);

  for (uint32_t i = 0; i < 2000; ++i) {
    const uint32_t more = b.add_alias(std::to_string(i) + "s", schema::TensorType::F32, {kRows}, scales);
    b.model.tensors[weights + 1 + i]->scales = static_cast<int32_t>(more);
  }
  const auto view = model::ModelView::open(b.finish().span());
  CHECK(std::string(view.status().message()).find("more bytes than the file has") != std::string::npos);
}

}  // namespace
}  // namespace dragoman
