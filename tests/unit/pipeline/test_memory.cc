// Memory of sessions: the figure asked for beforehand is the figure used, byte for byte, and nothing is kept behind.
// Neighbours: test_no_allocation.cc covers the time after creation.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <thread>

#include "tests/support/allocation_counter.h"
#include "tests/support/translation.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace dragoman {
namespace {

using test::AlignedBytes;
using test::OpenModel;

std::vector<dragoman_session_options> option_sets() {
  std::vector<dragoman_session_options> sets = {dragoman_default_session_options()};
  for (const uint32_t batch : {1u, 3u, 16u, 64u}) sets.push_back(test::batch_options(batch));
  for (const uint32_t threads : {2u, 4u}) sets.push_back(test::batch_options(7, threads));
  for (const uint32_t tokens : {9u, 17u, 64u, 1000u}) {
    sets.push_back(test::batch_options(2));
    sets.back().max_source_tokens = tokens;
  }
  for (const uint32_t rows : {1000u, 1025u, 5000u}) {
    sets.push_back(test::batch_options(5));
    sets.back().max_source_rows = rows;
  }
  for (const uint32_t beam : {1u, 4u}) {
    sets.push_back(test::batch_options(3));
    sets.back().max_beam = beam;
    sets.back().attention = true;
  }
  return sets;
}

void check_exact(const OpenModel& model, const std::string& text) {
  for (const dragoman_session_options& options : option_sets()) {
    CAPTURE(options.max_batch, options.max_source_tokens, options.max_source_rows, options.threads);
    const dragoman_memory needed = model.required(options);
    AlignedBytes block(needed.session_block);
    const auto session = model.session(options, block.span());
    for (int round = 0; round < 2; ++round) {
      dragoman_memory used = {};
      dragoman_session_get_memory(session.get(), &used);
      CHECK(used.session_block == needed.session_block);
      CHECK(used.session_operators == needed.session_operators);
      CHECK(used.model_packed == needed.model_packed);
      (void)test::translate_one(session.get(), text);  // translating changes none of it
    }
    const auto owning = model.session(options);
    dragoman_memory used = {};
    dragoman_session_get_memory(owning.get(), &used);
    CHECK(used.session_block == needed.session_block);
    CHECK(used.session_operators == needed.session_operators);
  }
}

TEST_CASE("required memory is what a session uses") {
  check_exact(OpenModel(test::tiny_model()), "a cat. b dog sat on it.");
  check_exact(OpenModel(test::tiny_model(), DRAGOMAN_COMPUTE_F32), "a cat. b dog sat on it.");
}

TEST_CASE("real model: required memory is what a session uses") {
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  check_exact(OpenModel(real->path), "It is late.");
}

// A number of position caches, each with as many bytes as the limits of a file and of a session allow.
TEST_CASE("limits whose bytes do not fit a number are refused") {
  for (const int num_caches : {1, 2, 3, 4, 5, 8}) {
    CAPTURE(num_caches);
    test::ModelBuilder builder = test::tiny_model_builder();
    schema::GraphT& graph = *builder.model.graph;
    graph.max_target_positions = 1u << 24;
    graph.step->nodes[1]->op.Set(schema::AddT());  // in place of a table of positions
    graph.step->nodes[1]->inputs = {0, 0};
    for (int i = 0; i < num_caches; ++i) {
      auto state = std::make_unique<schema::StateT>();
      state->name = "cache " + std::to_string(i);
      state->kind = schema::StateKind::PositionCache;
      state->row_space = schema::RowSpace::Hypothesis;
      state->width = 1u << 20;
      graph.states.push_back(std::move(state));
    }
    const OpenModel model(builder.finish());
    dragoman_session_options options = test::batch_options(4096);
    options.max_beam = 32;
    options.max_target_tokens = 1u << 24;
    dragoman_memory memory = {};
    dragoman_error error = {};
    const dragoman_code code = dragoman_required_memory(model.get(), &options, &memory, &error);
    CHECK(code == DRAGOMAN_OUT_OF_MEMORY);
    dragoman_session* session = nullptr;
    CHECK(dragoman_session_create(model.get(), &options, nullptr, 0, &session, &error) == DRAGOMAN_OUT_OF_MEMORY);
  }
}

TEST_CASE("more of anything needs more memory") {
  const OpenModel model(test::tiny_model());
  const uint64_t one = model.required(test::batch_options(1)).session_block;
  CHECK(model.required(test::batch_options(8)).session_block > one);
  CHECK(model.required(test::batch_options(1, 4)).session_block > one);
  dragoman_session_options small = test::batch_options(1);
  small.max_source_tokens = 8;
  CHECK(model.required(small).session_block < one);
}

TEST_CASE("a block one byte too small is refused with the figure") {
  const OpenModel model(test::tiny_model());
  const dragoman_session_options options = test::batch_options(3);
  const size_t needed = model.required(options).session_block;
  AlignedBytes block(needed);
  for (const size_t bytes : {needed - 1, needed - 64, size_t{64}, size_t{1}, size_t{0}}) {
    dragoman_session* session = nullptr;
    dragoman_error error = {};
    CHECK(dragoman_session_create(model.get(), &options, block.span().data(), bytes, &session, &error) ==
          DRAGOMAN_OUT_OF_MEMORY);
    CHECK(session == nullptr);
    CHECK(std::string(error.message).find(std::to_string(needed)) != std::string::npos);
  }
}

TEST_CASE("a misaligned block is refused") {
  const OpenModel model(test::tiny_model());
  const dragoman_session_options options = test::batch_options(1);
  AlignedBytes block(model.required(options).session_block + 64);
  for (const size_t offset : {size_t{1}, size_t{8}, size_t{32}, size_t{63}}) {
    dragoman_session* session = nullptr;
    dragoman_error error = {};
    CHECK(dragoman_session_create(model.get(), &options, block.span().data() + offset, block.size() - offset, &session,
                                  &error) == DRAGOMAN_INVALID_ARGUMENT);
    CHECK(session == nullptr);
    CHECK(std::string(error.message).find("aligned") != std::string::npos);
  }
}

// Nothing is written behind the block, nothing is expected in it, and it may serve again.
TEST_CASE("a session stays inside its block") {
  const OpenModel model(test::tiny_model());
  const dragoman_session_options options = test::batch_options(4, 2);
  const size_t needed = model.required(options).session_block;
  AlignedBytes block(needed + 4096);
  const auto expected = test::translate_one(model.session(options).get(), "a b c d. e f g h.");
  for (const std::byte filling : {std::byte{0}, std::byte{0xff}, std::byte{0x7f}}) {
    std::memset(block.span().data(), static_cast<int>(filling), block.size());
    const auto session = model.session(options, block.span());
    CHECK(test::translate_one(session.get(), "a b c d. e f g h.") == expected);
    const auto behind = block.span().subspan(needed);
    CHECK(static_cast<size_t>(std::count(behind.begin(), behind.end(), filling)) == behind.size());
  }
}

TEST_CASE("two sessions on one model work at the same time") {
  const OpenModel model(test::tiny_model());
  const uint64_t packed = model.required(test::batch_options(1)).model_packed;
  const std::vector<std::string> texts = test::mixed_texts(30, 20);
  const std::vector<test::KeptInput> expected = test::translate(model.session(test::batch_options(1)).get(), texts);
  const auto first = model.session(test::batch_options(1)), second = model.session(test::batch_options(8, 2));
  const std::vector<dragoman_text> views = test::as_texts(texts);
  test::KeepingSink kept[2];
  dragoman_code codes[2];
  const auto work = [&](dragoman_session* session, size_t i) {
    const dragoman_sink sink = kept[i].sink();
    codes[i] = dragoman_translate(session, views.data(), views.size(), nullptr, &sink, nullptr);
  };
  std::thread other(work, first.get(), 0);
  work(second.get(), 1);
  other.join();
  for (size_t i = 0; i < 2; ++i) {
    CHECK(codes[i] == DRAGOMAN_OK);
    CHECK(kept[i].inputs() == expected);
  }
  dragoman_model_info info;
  dragoman_model_get_info(model.get(), &info);
  CHECK(info.packed_weight_bytes == packed);
}

size_t heap_in_use() {
#if defined(__GLIBC__)
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

TEST_CASE("100 sessions leave nothing behind") {
  const OpenModel model(test::tiny_model());
  const auto create_and_destroy = [&](uint32_t threads) {
    const auto session = model.session(test::batch_options(2, threads));
    dragoman_session* refused = nullptr;
    std::byte small[64];
    const dragoman_session_options options = test::batch_options(2, threads);
    (void)dragoman_session_create(model.get(), &options, small, sizeof(small), &refused, nullptr);
  };
  for (uint32_t i = 0; i < 10; ++i) create_and_destroy(1 + i % 2);
  dragoman_memory before = model.required(test::batch_options(2)), after = {};
  const size_t heap_before = heap_in_use();
  for (uint32_t i = 0; i < 100; ++i) create_and_destroy(1 + i % 2);
  const size_t heap_after = heap_in_use();
  after = model.required(test::batch_options(2));
  CHECK(after.model_packed == before.model_packed);
  CHECK(after.session_operators == before.session_operators);
  // Where malloc is replaced by a sanitizer, that one looks for leaks itself. The C library may keep a block of a
  // thread that ended; a session that lost anything would lose it 100 times.
  if (test::allocation_counter_works()) CHECK(heap_after < heap_before + size_t{100} * 64);
}

TEST_CASE("opening and closing a model leaves nothing behind") {
  const AlignedBytes file = test::tiny_model();
  const auto open_and_close = [&] {
    dragoman_model* model = nullptr;
    if (dragoman_model_open_memory(file.span().data(), file.size(), nullptr, &model, nullptr) != DRAGOMAN_OK) return;
    dragoman_session* session = nullptr;
    if (dragoman_session_create(model, nullptr, nullptr, 0, &session, nullptr) == DRAGOMAN_OK) {
      dragoman_session_destroy(session);
    }
    dragoman_model_close(model);
  };
  if (!test::allocation_counter_works()) SKIP("the heap is not the C library's in this build");
  // A leak grows in every round; what the C library keeps for reuse does not.
  bool steady = false;
  for (int round = 0; round < 5 && !steady; ++round) {
    const size_t before = heap_in_use();
    for (int i = 0; i < 100; ++i) open_and_close();
    steady = heap_in_use() == before;
  }
  CHECK(steady);
}

}  // namespace
}  // namespace dragoman
