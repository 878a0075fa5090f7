// Source ids instead of text: as given, bounded, checked; and what came before a bad input is delivered.
// Neighbours: test_text_journey.cc for text.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;
using Ids = std::vector<int32_t>;

TEST_CASE("ids give what their text gives; nothing is added") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  const KeptInput from_text = test::translate_one(session.get(), "a bc.");
  const auto results = test::translate_ids(session.get(), {from_text.segments[0].source_ids, {3, 4}, {3, 4, 0, 0}});
  REQUIRE(results[0].segments.size() == 1);
  CHECK(results[0].segments[0].ids == from_text.segments[0].ids);
  CHECK(results[0].segments[0].score_bits == from_text.segments[0].score_bits);
  CHECK(results[0].segments[0].source_ids == from_text.segments[0].source_ids);
  CHECK(results[1].segments[0].source_ids == Ids{3, 4});
  CHECK(results[2].segments[0].source_ids == Ids{3, 4, 0, 0});
}

TEST_CASE("no ids, or the end id alone, give an empty translation") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  const auto results = test::translate_ids(session.get(), {{}, {0}, {3, 0}});
  CHECK(results[0].segments.empty());
  REQUIRE(results[1].segments.size() == 1);
  CHECK(results[1].segments[0].ids.empty());
  CHECK(results[1].text().empty());
  CHECK_FALSE(results[2].segments[0].ids.empty());
}

TEST_CASE("as many ids as fit, and no more") {
  const OpenModel model(test::tiny_model());
  dragoman_session_options limits = test::batch_options(2);
  limits.max_source_tokens = 10;
  const auto session = model.session(limits);
  CHECK(test::translate_ids(session.get(), {Ids(10, 3)})[0].segments.size() == 1);
  const Ids eleven(11, 3);
  const dragoman_ids input = {eleven.data(), eleven.size()};
  test::KeepingSink keeper;
  const dragoman_sink sink = keeper.sink();
  dragoman_error error = {};
  CHECK(dragoman_translate_ids(session.get(), &input, 1, nullptr, &sink, &error) == DRAGOMAN_LIMIT);
  CHECK(std::string(error.message).find("11 ids") != std::string::npos);
  // The model's positions bound the session's own limit.
  const auto wide = model.session(test::batch_options(1));
  CHECK(test::translate_ids(wide.get(), {Ids(64, 3)})[0].segments.size() == 1);
  const Ids more(65, 3);
  const dragoman_ids too_many = {more.data(), more.size()};
  CHECK(dragoman_translate_ids(wide.get(), &too_many, 1, nullptr, &sink, &error) == DRAGOMAN_LIMIT);
}

TEST_CASE("ids outside the vocabulary are refused by name") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  for (const int32_t id : {24, -1, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    const Ids ids = {3, id, 0};
    const dragoman_ids input = {ids.data(), ids.size()};
    test::KeepingSink keeper;
    const dragoman_sink sink = keeper.sink();
    dragoman_error error = {};
    CHECK(dragoman_translate_ids(session.get(), &input, 1, nullptr, &sink, &error) == DRAGOMAN_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("id " + std::to_string(id)) != std::string::npos);
  }
  CHECK(test::translate_ids(session.get(), {{3, 0}})[0].segments.size() == 1);
}

TEST_CASE("every input before a bad one is delivered, whatever the batch") {
  const OpenModel model(test::tiny_model());
  std::vector<Ids> all(30);
  for (int32_t i = 0; i < 30; ++i) all[static_cast<size_t>(i)] = {3 + i % 20, 4, 0};
  all[20] = {99};
  std::vector<dragoman_ids> inputs;
  inputs.reserve(all.size());
  for (const Ids& ids : all) inputs.push_back({ids.data(), ids.size()});
  const std::vector<Ids> good(all.begin(), all.begin() + 20);
  for (const uint32_t batch : {1u, 4u, 64u}) {
    CAPTURE(batch);
    const auto session = model.session(test::batch_options(batch));
    test::KeepingSink keeper;
    const dragoman_sink sink = keeper.sink();
    dragoman_error error = {};
    CHECK(dragoman_translate_ids(session.get(), inputs.data(), inputs.size(), nullptr, &sink, &error) ==
          DRAGOMAN_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("input 20") != std::string::npos);
    CHECK(keeper.inputs() == test::translate_ids(session.get(), good));
  }
}

}  // namespace
}  // namespace dragoman
