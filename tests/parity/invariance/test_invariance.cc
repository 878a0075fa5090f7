// A sentence's ids, text and score do not depend on its neighbours, on the batch size or on threads: bit for bit.
// Neighbours: test_targets.cc for instruction sets; tests/isa for XNNPACK and other processors.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;
using Texts = std::vector<std::string>;
using Kept = std::vector<KeptInput>;

Kept one_by_one(const OpenModel& model, const Texts& texts) {
  const auto session = model.session(test::batch_options(1));
  Kept results;
  for (const std::string& text : texts) results.push_back(test::translate_one(session.get(), text));
  return results;
}

// Number of inputs whose results differ.
size_t differences(std::span<const KeptInput> a, std::span<const KeptInput> b) {
  size_t count = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

constexpr size_t kTextsWithThreads = 5;

void check_batches_and_threads(const OpenModel& model, const Texts& texts) {
  const Kept alone = one_by_one(model, texts);
  for (const uint32_t batch : {1u, 2u, 7u, 64u}) {
    for (const uint32_t threads : {1u, 2u, 4u}) {
      CAPTURE(batch, threads);
      // More threads than free cores wait for each other at every operator: fewer texts.
      const size_t count = threads == 1 ? texts.size() : std::min(kTextsWithThreads, texts.size());
      const dragoman_session_options options = test::batch_options(batch, threads);
      test::AlignedBytes block(model.required(options).session_block);
      const auto session = model.session(options, block.span());
      CHECK(differences(test::translate(session.get(), std::span(texts).first(count)), std::span(alone).first(count)) ==
            0);
    }
  }
}

void check_shuffled(const OpenModel& model, const Texts& texts) {
  const Kept alone = one_by_one(model, texts);
  std::mt19937 random(17);
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (const uint32_t batch : {2u, 7u, 64u}) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    Texts shuffled;
    Kept expected;
    for (const size_t i : order) {
      shuffled.push_back(texts[i]);
      expected.push_back(alone[i]);
    }
    CAPTURE(batch);
    const auto session = model.session(test::batch_options(batch));
    CHECK(differences(test::translate(session.get(), shuffled), expected) == 0);
    CHECK(differences(test::translate(session.get(), shuffled), expected) == 0);  // nor on what was before
  }
}

// Two very short sentences and one very long one, in every arrangement of the case.
void check_neighbours(const OpenModel& model, const std::string& long_sentence) {
  const Texts sentences = {"7.",
                           "\xc2\xa3"
                           "42.75",
                           long_sentence};
  const Kept alone = one_by_one(model, sentences);
  for (size_t n = 1; n <= 9; ++n) {
    for (const std::vector<size_t>& pair : {std::vector<size_t>{0, 2}, {2, 0}, {1, 2}, {0, 1}}) {
      std::vector<size_t> order(n, pair[0]);
      order.push_back(pair[1]);
      order.insert(order.end(), n / 2, pair[0]);
      Texts texts;
      Kept expected;
      for (const size_t i : order) {
        texts.push_back(sentences[i]);
        expected.push_back(alone[i]);
      }
      for (const uint32_t batch : {1u, 9u}) {
        CAPTURE(n, batch, pair[0], pair[1]);
        CHECK(differences(test::translate(model.session(test::batch_options(batch)).get(), texts), expected) == 0);
      }
    }
  }
}

// An empty sentence takes no part and harms nobody.
void check_empty_neighbour(const OpenModel& model, const std::vector<int32_t>& ids) {
  const auto session = model.session(test::batch_options(2));
  const auto solo = test::translate_ids(session.get(), {ids});
  REQUIRE(solo[0].segments.size() == 1);
  CHECK(std::isfinite(std::bit_cast<float>(solo[0].score_bits)));
  const int32_t end = ids.back();
  const std::vector<std::vector<int32_t>> empties = {{}, {end}};
  for (const auto& empty : empties) {
    const auto before = test::translate_ids(session.get(), {empty, ids});
    const auto after = test::translate_ids(session.get(), {ids, empty, empty});
    CHECK(before[1] == solo[0]);
    CHECK(after[0] == solo[0]);
    CHECK(before[0].text().empty());
    CHECK(before[0].score_bits == 0);
  }
}

OpenModel open_real(test::RealModel* real) {
  std::string why;
  const auto found = test::find_real_model(&why);
  if (!found) SKIP(why);
  *real = *found;
  return OpenModel(real->path);
}

TEST_CASE("RT-07: batches of 1, 2, 7, 64 with 1, 2, 4 threads, in a caller's block") {
  check_batches_and_threads(OpenModel(test::tiny_model()), test::mixed_texts(80, 12));
  check_batches_and_threads(OpenModel(test::tiny_model(), DRAGOMAN_COMPUTE_F32), test::mixed_texts(20, 12));
}

TEST_CASE("RT-07: real model, batches of 1, 2, 7, 64 with 1, 2, 4 threads, in a caller's block", "[long]") {
  test::RealModel real;
  const OpenModel model = open_real(&real);
  check_batches_and_threads(model, Texts(real.sentences.begin(), real.sentences.begin() + 40));
}

TEST_CASE("shuffled order") { check_shuffled(OpenModel(test::tiny_model()), test::mixed_texts(150, 40)); }

TEST_CASE("real model, shuffled order", "[long]") {
  test::RealModel real;
  const OpenModel model = open_real(&real);
  check_shuffled(model, Texts(real.sentences.begin() + 100, real.sentences.begin() + 180));
}

TEST_CASE("RT-01: neighbours in the batch") {
  std::mt19937 random(23);
  std::string long_sentence;
  while (long_sentence.size() < 200) long_sentence += test::random_words(1, &random).substr(0, 3) + " ";
  check_neighbours(OpenModel(test::tiny_model()), long_sentence);
  check_neighbours(OpenModel(test::tiny_model(), DRAGOMAN_COMPUTE_F32), long_sentence);
}

TEST_CASE("RT-01: real model, neighbours in the batch", "[long]") {
  test::RealModel real;
  const OpenModel model = open_real(&real);
  std::string long_sentence;
  while (long_sentence.size() < 450) {
    long_sentence += "while the river rose and the people of the town carried what they could, ";
  }
  check_neighbours(model, long_sentence + "it rained.");
}

TEST_CASE("RT-06: an empty neighbour") {
  check_empty_neighbour(OpenModel(test::tiny_model()), {2, 5, 9, 23, 0});
  check_empty_neighbour(OpenModel(test::tiny_model(), DRAGOMAN_COMPUTE_F32), {2, 5, 9, 23, 0});
}

TEST_CASE("RT-06: real model, an empty neighbour") {
  test::RealModel real;
  const OpenModel model = open_real(&real);
  const KeptInput first = test::translate_one(model.session(test::batch_options(1)).get(), real.sentences[0]);
  check_empty_neighbour(model, first.segments[0].source_ids);
}

}  // namespace
}  // namespace dragoman
