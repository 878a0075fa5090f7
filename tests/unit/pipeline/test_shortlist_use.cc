// DC-06: what a sentence may generate. The end is always allowed, the source's own ids too; and only allowed ids come.
// Neighbours: engine/shortlist builds the sets; tests/unit/engine covers its rule on small lists.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "pipeline/model.h"
#include "pipeline/session.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

constexpr int32_t kEnd = 0;

// A model opened inside the library, to look at what the engine allows.
struct Inside {
  explicit Inside(model::MappedFile mapped) {
    auto opened = pipeline::Model::open(std::move(mapped), {});
    INFO(opened.status().message());
    REQUIRE(opened.ok());
    model = std::move(opened.value());
    const auto created = pipeline::Session::create(*model, {}, nullptr, 0);
    REQUIRE(created.ok());
    session = created.value();
  }
  ~Inside() { pipeline::Session::destroy(session); }

  std::vector<int32_t> allowed(const std::vector<int32_t>& source) const {
    engine::Engine& engine = session->translator().engine();
    const engine::EncodeRequest request = {0, source, true};
    engine.encode({&request, 1});
    const std::span<const int32_t> ids = engine.allowed_ids(0);
    std::vector<int32_t> kept(ids.begin(), ids.end());
    engine.release(0);
    return kept;
  }

  std::unique_ptr<pipeline::Model> model;
  pipeline::Session* session = nullptr;
};

bool contains(const std::vector<int32_t>& sorted, int32_t id) {
  return std::binary_search(sorted.begin(), sorted.end(), id);
}

void check_allowed(const Inside& inside, const test::KeptSegment& segment) {
  const std::vector<int32_t> allowed = inside.allowed(segment.source_ids);
  REQUIRE(std::is_sorted(allowed.begin(), allowed.end()));
  CHECK(contains(allowed, kEnd));
  const auto is_allowed = [&](int32_t id) { return contains(allowed, id); };
  CHECK(std::all_of(segment.source_ids.begin(), segment.source_ids.end(), is_allowed));
  CHECK(std::all_of(segment.ids.begin(), segment.ids.end(), is_allowed));
}

TEST_CASE("DC-06: the end and the source's ids are allowed, and nothing else is generated") {
  const test::AlignedBytes file = test::tiny_model();
  auto mapped = model::MappedFile::borrow(file.span().data(), file.size());
  REQUIRE(mapped.ok());
  const Inside inside(std::move(mapped.value()));
  const test::OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(4));
  for (const test::KeptInput& input : test::translate(session.get(), test::mixed_texts(40, 12))) {
    for (const test::KeptSegment& segment : input.segments) {
      if (segment.source_ids.size() > 1) check_allowed(inside, segment);
    }
  }
}

TEST_CASE("DC-06: real model, 200 sentences") {
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  auto mapped = model::MappedFile::map(real->path.c_str());
  REQUIRE(mapped.ok());
  const Inside inside(std::move(mapped.value()));
  const test::OpenModel model(real->path);
  const auto session = model.session(test::batch_options(16));
  const std::vector<std::string> sentences(real->sentences.begin(), real->sentences.begin() + 200);
  for (const test::KeptInput& input : test::translate(session.get(), sentences)) {
    for (const test::KeptSegment& segment : input.segments) check_allowed(inside, segment);
  }
}

// Lists that forget the end: a sentence must still be able to end.
TEST_CASE("DC-06: the end is allowed even when a model's lists lack it") {
  test::ModelBuilder b = test::tiny_model_builder();
  b.model.shortlist->always = 0;
  b.model.shortlist->multiple = 1;
  b.model.shortlist->copy_source = false;
  const test::AlignedBytes file = b.finish();
  auto mapped = model::MappedFile::borrow(file.span().data(), file.size());
  REQUIRE(mapped.ok());
  const Inside inside(std::move(mapped.value()));
  for (const std::vector<int32_t>& source : {std::vector<int32_t>{7}, {7, 12, 20}, std::vector<int32_t>(64, 9)}) {
    CHECK(contains(inside.allowed(source), kEnd));
  }
}

}  // namespace
}  // namespace dragoman
