// Damaged tokenizer tables are refused, or encode and decode within their bounds.
// Neighbours: damage.h makes the variants; tokenizer_section reads the tables, text::Tokenizer checks and uses them.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "model/model_view.h"
#include "model/tokenizer_section.h"
#include "tests/robustness/damage.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/model_builder.h"
#include "text/tokenizer.h"

namespace dragoman {
namespace {

constexpr std::string_view kText =
    "a cat  has\tseen \xff the \xe2\x96\x81 d\xc3\xb3"
    "g. q";

// What a caller hands in, made once: the tokenizer itself allocates nothing.
struct Workspace {
  std::vector<std::byte> scratch = std::vector<std::byte>(1 << 16);
  std::vector<int32_t> ids = std::vector<int32_t>(256);
  std::vector<char> text = std::vector<char>(1 << 14);
};

// Encodes and decodes with whatever tokenizer a file holds; false when the file or the tokenizer is refused.
bool open_and_tokenize(std::span<const std::byte> file, Workspace& workspace) {
  const auto view = model::ModelView::open(file);
  if (!view.ok()) return false;
  const auto tables = model::tokenizer_tables(view.value(), *view.value().source_tokenizer());
  if (!tables.ok()) return false;
  const auto tokenizer = text::Tokenizer::create(tables.value());
  if (!tokenizer.ok()) return false;
  const auto encoded = tokenizer.value().encode(kText, {workspace.scratch, workspace.ids, {}, {}});
  if (!encoded.ok()) return true;
  const auto ids = std::span<const int32_t>(workspace.ids).first(encoded.value().num_ids);
  (void)tokenizer.value().decode(ids, workspace.text).ok();
  return true;
}

TEST_CASE("the tiny model's tokenizer works") {
  const test::AlignedBytes file = test::tiny_model();
  Workspace workspace;
  REQUIRE(open_and_tokenize(file.span(), workspace));
  const auto view = model::ModelView::open(file.span());
  const auto tables = model::tokenizer_tables(view.value(), *view.value().source_tokenizer());
  const auto tokenizer = text::Tokenizer::create(tables.value());
  const auto encoded = tokenizer.value().encode("a bc.", {workspace.scratch, workspace.ids, {}, {}});
  REQUIRE(encoded.ok());
  const std::vector<int32_t> ids(workspace.ids.begin(),
                                 workspace.ids.begin() + static_cast<ptrdiff_t>(encoded.value().num_ids));
  CHECK(ids == std::vector<int32_t>{2, 3, 2, 4, 5, 23});
}

TEST_CASE("damaged tokenizers never crash or read outside") {
  const test::AlignedBytes original = test::tiny_model();
  Workspace workspace;
  test::DamageOptions options;
  options.keep_every = 4;  // the first bytes are the header's and the directory's, which MF-01 covers in full
  options.random_flips = 20000;
  options.random_numbers = 20000;
  const test::DamageReport report = test::damage_everywhere(
      original.span(), options, [&](std::span<const std::byte> file) { return open_and_tokenize(file, workspace); });
  CAPTURE(report.slowest.kind, report.slowest.position, report.slowest.value);
  CHECK(report.variants >= 10000);
  CHECK(report.accepted > 0);
  CHECK(report.slowest_ms < 1000.0);
  if (test::allocation_counter_works()) CHECK(report.most_allocated <= 2.0);
}

}  // namespace
}  // namespace dragoman
