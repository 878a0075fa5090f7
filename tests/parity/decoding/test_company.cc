// Every family, with int8 and with float products, in every way to decode: ids, scores, log-probabilities, attention
// and alignments of a sentence have the same bits alone, in any batch and order, and on any number of threads; and
// translating allocates nothing.
// Neighbours: tests/parity/invariance does the same for texts through a student; tests/unit/pipeline for its options.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <numeric>
#include <random>

#include "tests/support/allocation_counter.h"
#include "tests/support/converted_family.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;
using Sources = std::vector<std::vector<int32_t>>;

constexpr uint32_t kMaxLength = 16;
constexpr size_t kNumSources = 14;
// Threads wait for each other at every operator, which takes long where cores are busy: two sentences, one way, few
// positions.
constexpr size_t kSourcesWithThreads = 2;
constexpr size_t kWayWithThreads = 2;
constexpr uint32_t kLengthWithThreads = 4;

// One way to decode: what the session reserves and what the call asks for.
struct Way {
  const char* name;
  dragoman_cache_type cache_type;
  bool full_logits;
  std::function<void(dragoman_translate_options*)> choose;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"greedy, f32 cache", DRAGOMAN_CACHE_F32, false, [](auto*) {}},
      {"greedy with attention, int8 cache", DRAGOMAN_CACHE_INT8, false, [](auto* o) { o->attention = true; }},
      {"beam 4, n-best, coverage, attention, int8 cache", DRAGOMAN_CACHE_INT8, false,
       [](auto* o) {
         o->beam = o->n_best = 4;
         o->coverage_penalty = 0.3f;
         o->attention = true;
       }},
      {"beam 4 as Marian does it, f16 cache", DRAGOMAN_CACHE_F16, false,
       [](auto* o) {
         o->beam = 4;
         o->beam_rule = DRAGOMAN_BEAM_MARIAN;
         o->length_penalty = 0.6f;
       }},
      {"beam 4 with constraints, f32 cache", DRAGOMAN_CACHE_F32, true,
       [](auto* o) {
         o->beam = 4;
         o->no_repeat_ngram = 2;
         o->repetition_penalty = 1.2f;
       }},
      {"two draws with attention, f16 cache", DRAGOMAN_CACHE_F16, true,
       [](auto* o) {
         o->sample = true;
         o->n_best = 2;
         o->top_k = 40;
         o->temperature = 1.3f;
         o->seed = 9;
         o->attention = true;
       }},
  };
  return all;
}

dragoman_session_options session_options(const Way& way, uint32_t batch, uint32_t threads) {
  dragoman_session_options options = test::batch_options(batch, threads);
  options.max_beam = options.max_n_best = 4;
  options.max_target_tokens = kMaxLength;
  options.max_source_tokens = 16;
  options.cache_type = way.cache_type;
  options.full_logits = way.full_logits;
  options.attention = true;
  return options;
}

dragoman_translate_options translate_options(const Way& way) {
  dragoman_translate_options options = dragoman_default_translate_options();
  options.beam = 1;
  options.max_length = kMaxLength;
  options.max_length_factor = 1000;
  way.choose(&options);
  return options;
}

std::vector<KeptInput> translate(const OpenModel& model, const Way& way, const Sources& sources, uint32_t batch,
                                 uint32_t threads) {
  const auto session = model.session(session_options(way, batch, threads));
  const dragoman_translate_options options = translate_options(way);
  return test::translate_ids(session.get(), sources, &options);
}

std::vector<KeptInput> one_by_one(const OpenModel& model, const Way& way, const Sources& sources) {
  std::vector<KeptInput> results;
  const auto session = model.session(session_options(way, 1, 1));
  const dragoman_translate_options options = translate_options(way);
  for (const std::vector<int32_t>& source : sources) {
    results.push_back(test::translate_ids(session.get(), {source}, &options)[0]);
  }
  return results;
}

// A block of exactly the size that was said to be needed is enough, and all of it is used.
void check_memory(const OpenModel& model, const Way& way, const Sources& sources, const std::vector<KeptInput>& alone) {
  const dragoman_session_options options = session_options(way, 3, 1);
  const dragoman_memory needed = model.required(options);
  test::AlignedBytes block(needed.session_block);
  const auto session = model.session(options, block.span());
  const dragoman_translate_options translating = translate_options(way);
  CHECK(test::translate_ids(session.get(), sources, &translating) == alone);
  dragoman_memory used = {};
  dragoman_session_get_memory(session.get(), &used);
  CHECK(used.session_block == needed.session_block);
  CHECK(used.session_operators == needed.session_operators);
}

size_t allocations(const OpenModel& model, const Way& way, const Sources& sources) {
  const auto session = model.session(session_options(way, 5, 1));
  const dragoman_translate_options options = translate_options(way);
  std::vector<dragoman_ids> inputs;
  for (const std::vector<int32_t>& source : sources) inputs.push_back({source.data(), source.size()});
  const dragoman_sink sink = {nullptr, [](void*, const dragoman_segment*) { return true; }, nullptr};
  test::reset_allocation_count();
  const dragoman_code code =
      dragoman_translate_ids(session.get(), inputs.data(), inputs.size(), &options, &sink, nullptr);
  const size_t count = test::allocation_count();
  CHECK(code == DRAGOMAN_OK);
  return count;
}

void check_way(const OpenModel& model, const Way& way, const Sources& sources) {
  const std::vector<KeptInput> alone = one_by_one(model, way, sources);
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(5);
  for (const uint32_t batch : {2u, 5u, 32u}) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    Sources shuffled;
    std::vector<KeptInput> expected;
    for (const size_t i : order) {
      shuffled.push_back(sources[i]);
      expected.push_back(alone[i]);
    }
    CAPTURE(batch);
    CHECK(translate(model, way, shuffled, batch, 1) == expected);
  }
  check_memory(model, way, sources, alone);
  if (test::allocation_counter_works()) CHECK(allocations(model, way, sources) == 0);
}

void check_threads(const OpenModel& model, const Sources& sources) {
  const Way& way = ways()[kWayWithThreads];
  dragoman_translate_options options = translate_options(way);
  options.max_length = kLengthWithThreads;
  const Sources few(sources.begin(), sources.begin() + kSourcesWithThreads);
  std::vector<KeptInput> alone;
  for (const uint32_t threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    const auto session = model.session(session_options(way, threads == 1 ? 1 : 2, threads));
    const std::vector<KeptInput> found = test::translate_ids(session.get(), few, &options);
    if (threads == 1) alone = found;
    CHECK(found == alone);
  }
}

void check_family(const char* family) {
  const test::AlignedBytes file = test::converted_family(family);
  for (const dragoman_compute compute : {DRAGOMAN_COMPUTE_INT8, DRAGOMAN_COMPUTE_F32}) {
    const OpenModel model(test::AlignedBytes(file.span()), compute);
    dragoman_model_info info;
    dragoman_model_get_info(model.get(), &info);
    const Sources sources =
        test::random_sources(kNumSources, info.end_id, static_cast<int32_t>(info.source_vocabulary));
    for (const Way& way : ways()) {
      INFO(family << ", " << (compute == DRAGOMAN_COMPUTE_INT8 ? "int8" : "f32") << ", " << way.name);
      check_way(model, way, sources);
    }
    check_threads(model, sources);
  }
}

TEST_CASE("RT-07, RT-01: MarianMT, every way to decode") { check_family("marian"); }
TEST_CASE("RT-07, RT-01: BART, every way to decode") { check_family("bart"); }
TEST_CASE("RT-07, RT-01: M2M100, every way to decode") { check_family("m2m100"); }
TEST_CASE("RT-07, RT-01: T5, every way to decode") { check_family("t5"); }
TEST_CASE("RT-07, RT-01: T5 v1.1, every way to decode") { check_family("t5-v1_1"); }
TEST_CASE("RT-07, RT-01: mT5, every way to decode") { check_family("mt5"); }

// The student has a recurrent decoder and a shortlist instead of a cache.
TEST_CASE("RT-07, RT-01: a student, every way to decode") {
  for (const dragoman_compute compute : {DRAGOMAN_COMPUTE_INT8, DRAGOMAN_COMPUTE_F32}) {
    const OpenModel model(test::tiny_model(), compute);
    for (const Way& way : ways()) {
      INFO(way.name);
      check_way(model, way, test::random_sources(kNumSources, 0, 24));
    }
    check_threads(model, test::random_sources(kSourcesWithThreads, 0, 24));
  }
}

}  // namespace
}  // namespace dragoman
