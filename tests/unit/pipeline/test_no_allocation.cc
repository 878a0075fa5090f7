// Translating allocates nothing: no call of malloc or operator new in any thread between the creation of a session and
// its end, whatever the texts are.
// Neighbours: tests/support/allocation_counter counts; see also test_memory.cc for what is reserved before.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/support/allocation_counter.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::OpenModel;

// Takes results into a fixed buffer, as a caller without a heap would.
struct FixedSink {
  char text[1 << 16];
  size_t num_segments = 0;
  size_t num_ends = 0;
  size_t bytes = 0;

  static bool on_segment(void* user, const dragoman_segment* segment) {
    auto* self = static_cast<FixedSink*>(user);
    std::memcpy(self->text, segment->text, std::min(segment->text_bytes, sizeof(self->text)));
    self->bytes += segment->text_bytes;
    ++self->num_segments;
    return true;
  }
  static bool on_end(void* user, const dragoman_input_end*) {
    ++static_cast<FixedSink*>(user)->num_ends;
    return true;
  }
  dragoman_sink sink() { return {this, on_segment, on_end}; }
};

// Allocations of one call that translates all `texts`; the counter runs from before the very first call.
size_t allocations_with_sink(dragoman_session* session, std::span<const dragoman_text> texts,
                             const dragoman_translate_options& options) {
  FixedSink fixed;
  const dragoman_sink sink = fixed.sink();
  dragoman_error error = {};
  test::reset_allocation_count();
  const dragoman_code code = dragoman_translate(session, texts.data(), texts.size(), &options, &sink, &error);
  const size_t count = test::allocation_count();
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  CHECK(fixed.num_ends == texts.size());
  CHECK(fixed.num_segments > texts.size() / 2);
  CHECK(fixed.bytes > 0);
  return count;
}

// The same into a buffer, one call a text; every tenth buffer is too small.
size_t allocations_with_buffer(dragoman_session* session, std::span<const dragoman_text> texts,
                               const dragoman_translate_options& options) {
  std::vector<char> out(1 << 16);
  size_t calls = 0, failed = 0;
  test::reset_allocation_count();
  for (const dragoman_text& text : texts) {
    const size_t room = calls++ % 10 == 9 ? 3 : out.size();
    size_t needed = 0;
    dragoman_error error;
    const dragoman_code code =
        dragoman_translate_text(session, text.data, text.bytes, &options, out.data(), room, &needed, &error);
    failed += code == (needed > room ? DRAGOMAN_LIMIT : DRAGOMAN_OK) ? 0 : 1;
  }
  const size_t count = test::allocation_count();
  CHECK(failed == 0);
  return count;
}

// Several threads take turns at every operator, which is slow where other work keeps the cores busy: fewer texts.
constexpr size_t kTextsWithThreads = 12;

void check_no_allocation(const OpenModel& model, std::span<const std::string> texts, float max_length_factor) {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  const std::vector<dragoman_text> views = test::as_texts(texts);
  dragoman_translate_options options = dragoman_default_translate_options();
  options.max_length_factor = max_length_factor;
  for (const uint32_t batch : {1u, 16u}) {
    for (const uint32_t threads : {1u, 2u}) {
      for (const bool split : {true, false}) {
        CAPTURE(batch, threads, split);
        options.one_sentence_per_input = !split;
        options.shortlist = split;
        const auto session = model.session(test::batch_options(batch, threads));
        const size_t count = threads == 1 ? views.size() : std::min(kTextsWithThreads, views.size());
        CHECK(allocations_with_sink(session.get(), std::span(views).first(count), options) == 0);
        if (batch == 1 && threads == 1) CHECK(allocations_with_buffer(session.get(), views, options) == 0);
      }
    }
  }
}

TEST_CASE("the counter sees what a session and the sink allocate") {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  const OpenModel model(test::tiny_model());
  test::reset_allocation_count();
  const auto session = model.session(test::batch_options(1, 2));
  CHECK(test::allocation_count() > 0);
  test::reset_allocation_count();
  const test::KeptInput kept = test::translate_one(session.get(), "A cat sat. The dog ran.");
  CHECK(kept.segments.size() == 2);
  CHECK(test::allocation_count() > 0);
}

TEST_CASE("translating 500 texts of 0 to 300 words allocates nothing") {
  std::vector<std::string> texts = test::mixed_texts(500, 300);
  texts.emplace_back(20000, 'a');
  texts.emplace_back("e\xcc\x81\xff\xfe\xf0\x9f\x98\x80");
  texts.emplace_back(3000, '\x80');
  check_no_allocation(OpenModel(test::tiny_model()), texts, 0.125f);
}

TEST_CASE("float products allocate nothing") {
  check_no_allocation(OpenModel(test::tiny_model(), DRAGOMAN_COMPUTE_F32), test::mixed_texts(60, 60), 0.25f);
}

TEST_CASE("errors and a cancelled call allocate nothing") {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(4, 2));
  const dragoman_text text = {"a b c. d e f.", 13};
  const int32_t foreign[] = {2, 99};
  const dragoman_ids ids = {foreign, 2};
  const dragoman_sink stopping = {nullptr, [](void*, const dragoman_segment*) { return false; }, nullptr};
  dragoman_error error;
  test::reset_allocation_count();
  const dragoman_code cancelled = dragoman_translate(session.get(), &text, 1, nullptr, &stopping, &error);
  const dragoman_code refused = dragoman_translate_ids(session.get(), &ids, 1, nullptr, &stopping, &error);
  const dragoman_code null = dragoman_translate(session.get(), &text, 1, nullptr, nullptr, &error);
  const size_t count = test::allocation_count();
  CHECK(cancelled == DRAGOMAN_CANCELLED);
  CHECK(refused == DRAGOMAN_INVALID_ARGUMENT);
  CHECK(null == DRAGOMAN_INVALID_ARGUMENT);
  CHECK(count == 0);
}

TEST_CASE("real model: translating 500 texts of 0 to 300 words allocates nothing", "[long]") {
  if (!test::allocation_counter_works()) SKIP("allocations cannot be counted in this build");
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  const OpenModel model(real->path);
  check_no_allocation(model, test::mixed_texts(24, 300, real->sentences), 0.25f);
  const std::vector<std::string> all = test::mixed_texts(500, 300, real->sentences);
  const auto session = model.session(test::batch_options(16));
  dragoman_translate_options options = dragoman_default_translate_options();
  options.max_length_factor = 1.0f;
  CHECK(allocations_with_sink(session.get(), test::as_texts(all), options) == 0);
}

}  // namespace
}  // namespace dragoman
