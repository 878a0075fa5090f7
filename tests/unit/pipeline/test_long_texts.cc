// Sentences longer than the limits: cut, all parts translated, in time that grows with the text only.
// Neighbours: text/cut chooses the place; test_text_journey.cc covers everything shorter.
#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST_CASE("a sentence longer than the limits is cut and every part is translated") {
  const OpenModel model(test::tiny_model());
  std::mt19937 random(5);
  std::string text;
  for (int i = 0; i < 60; ++i) text += (i > 0 ? " " : "") + std::string(1 + i % 6, static_cast<char>('a' + i % 20));
  for (const uint32_t tokens : {4u, 9u, 20u, 64u}) {
    for (const bool split : {true, false}) {
      CAPTURE(tokens, split);
      dragoman_session_options limits = test::batch_options(3);
      limits.max_source_tokens = tokens;
      const auto session = model.session(limits);
      dragoman_translate_options options = dragoman_default_translate_options();
      options.one_sentence_per_input = !split;
      const KeptInput result = test::translate_one(session.get(), text, &options);
      CHECK(test::covers(result, text));
      CHECK((result.flags & DRAGOMAN_CUT) != 0);
      CHECK(result.segments.size() >= 270 / tokens);
      size_t short_parts = 0;
      for (const test::KeptSegment& segment : result.segments) {
        CHECK((segment.flags & DRAGOMAN_CUT) != 0);
        CHECK(segment.source_ids.size() <= tokens);
        CHECK(segment.source_ids.size() > 1);
        CHECK_FALSE(segment.ids.empty());
        short_parts += segment.source_ids.size() < tokens / 4 ? 1 : 0;
      }
      CHECK(short_parts <= 1);  // the last one
    }
  }
}

TEST_CASE("only the sentence that was cut is flagged") {
  const OpenModel model(test::tiny_model());
  dragoman_session_options limits = test::batch_options(2);
  limits.max_source_tokens = 12;
  const auto session = model.session(limits);
  const KeptInput result = test::translate_one(session.get(), "Go on. Abcdefghij klmnop qrst abc. Go on.");
  REQUIRE(result.segments.size() >= 4);
  CHECK((result.segments.front().flags & DRAGOMAN_CUT) == 0);
  CHECK((result.segments[1].flags & DRAGOMAN_CUT) != 0);
  CHECK((result.segments.back().flags & DRAGOMAN_CUT) == 0);
  CHECK((result.flags & DRAGOMAN_CUT) != 0);
}

TEST_CASE("a part ends at white space where there is some") {
  const OpenModel model(test::tiny_model());
  dragoman_session_options limits = test::batch_options(2);
  limits.max_source_tokens = 16;
  const auto session = model.session(limits);
  const std::string text = "abcd efgh ijkl mnop qrst abcd efgh ijkl mnop qrst";
  const KeptInput result = test::translate_one(session.get(), text);
  REQUIRE(result.segments.size() > 2);
  CHECK(test::covers(result, text));
  for (const test::KeptSegment& segment : result.segments) {
    CHECK((segment.source_begin == 0 || segment.gap == " "));
    CHECK((segment.source_end == text.size() || text[segment.source_end] == ' '));
  }
}

TEST_CASE("a line of 1 MB without a stop is translated in parts, in bounded time") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(16));
  dragoman_translate_options options = dragoman_default_translate_options();
  options.max_length_factor = 0.05f;
  std::string words;
  std::mt19937 random(9);
  while (words.size() < (1u << 20)) words += test::random_words(1, &random).substr(0, 3) + " ";
  std::erase(words, '.');
  for (const std::string& text : {std::string(1 << 20, 'a'), words, std::string(1 << 20, '\x80'),
                                  std::string(1 << 20, '.'), std::string(1 << 20, ' ') + "a"}) {
    CAPTURE(text.substr(0, 8));
    const auto start = std::chrono::steady_clock::now();
    const KeptInput result = test::translate_one(session.get(), text, &options);
    CHECK(seconds_since(start) < 120.0);  // about 1 s on an idle machine
    CHECK(test::covers(result, text));
  }
}

TEST_CASE("a character that has more ids than fit is refused by name, and the session serves on") {
  test::ModelBuilder b = test::tiny_model_builder();
  const OpenModel model(b.finish());
  dragoman_session_options limits = test::batch_options(2);
  limits.max_source_tokens = 2;  // one id and the end: the space before the first word takes it
  const auto session = model.session(limits);
  test::KeepingSink keeper;
  const dragoman_sink sink = keeper.sink();
  const dragoman_text texts[] = {{"", 0}, {"a", 1}};
  dragoman_error error = {};
  CHECK(dragoman_translate(session.get(), texts, 2, nullptr, &sink, &error) == DRAGOMAN_LIMIT);
  CHECK(std::string(error.message).find("input 1") != std::string::npos);
  CHECK(std::string(error.message).find("max_source_tokens") != std::string::npos);
  CHECK(keeper.inputs().size() == 1);  // what stands before the failing input was delivered
  CHECK(test::translate_one(session.get(), " ").text() == " ");
}

}  // namespace
}  // namespace dragoman
