// The real student through the C interface: what only a trained model and a trained tokenizer can show.
// Neighbours: tests/parity/golden compares its numbers; tests/quality its translations.
#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;

constexpr int32_t kEnd = 0;

OpenModel open_real() {
  std::string why;
  const auto real = test::find_real_model(&why);
  if (!real) SKIP(why);
  return OpenModel(real->path);
}

TEST_CASE("TX-01: real model, blank and invisible inputs invent nothing") {
  const OpenModel model = open_real();
  const auto session = model.session(test::batch_options(4));
  const std::vector<std::string> blanks = {"",         " ",  "\n", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xe3\x80\x80",
                                           "\xc2\xad", "\a", "\t", "\xe2\x81\xa0", "\x7f",         {"\0\0", 2}};
  const auto results = test::translate(session.get(), blanks);
  for (size_t i = 0; i < blanks.size(); ++i) {
    CAPTURE(i);
    const std::string text = results[i].text();
    CHECK((text == blanks[i] || text.empty()));
    for (const test::KeptSegment& segment : results[i].segments) CHECK(segment.ids.empty());
  }
}

TEST_CASE("DC-01: real model, a short greeting ends by the end id") {
  const OpenModel model = open_real();
  const auto session = model.session(test::batch_options(1));
  const KeptInput result = test::translate_one(session.get(), "Hello.");
  REQUIRE(result.segments.size() == 1);
  const test::KeptSegment& segment = result.segments[0];
  CHECK(segment.source_ids.back() == kEnd);
  CHECK(std::count(segment.source_ids.begin(), segment.source_ids.end(), kEnd) == 1);
  CHECK(segment.ids.size() < 15);
  CHECK(segment.ids.back() == kEnd);
  CHECK(segment.flags == 0);
}

TEST_CASE("DC-08: real model, degenerate inputs end within the model's cap") {
  const OpenModel model = open_real();
  dragoman_session_options limits = test::batch_options(8);
  limits.max_beam = 4;
  const auto session = model.session(limits);
  std::vector<std::string> inputs = {
      "-",
      "\xe2\x80\xa6",
      std::string(300, '.'),
      std::string(200, '1'),
      "| | | |",
      "UmVhZCB0aGlzIGxpbmUgYXMgaXQgaXMsIGl0IGlzIG5vIHRleHQuMTIzNDU2Nzg5MA==",
      "\xd0\xb6 a\xe5\xad\x97 \xe2\x9c\x93 \xc4\xb1\xc4\x9e\xc5\x9f \xf0\x9f\x98\x80 x9 %%&"};
  std::string laugh, marks;
  for (int i = 0; i < 200; ++i) laugh += "ha";
  for (int i = 0; i < 100; ++i) marks += "?!";
  inputs.push_back(laugh);
  inputs.push_back(marks);
  dragoman_translate_options options = dragoman_default_translate_options();
  for (const uint32_t beam : {1u, 4u}) {
    options.beam = beam;
    const auto results = test::translate(session.get(), inputs, &options);
    for (size_t i = 0; i < inputs.size(); ++i) {
      CAPTURE(beam, i, inputs[i]);
      for (const test::KeptSegment& segment : results[i].segments) {
        if (segment.ids.empty()) continue;
        CHECK(segment.ids.size() <= 3 * segment.source_ids.size() + 20);
        CHECK((segment.ids.back() == kEnd) == ((segment.flags & DRAGOMAN_LENGTH_LIMIT) == 0));
      }
    }
  }
}

TEST_CASE("real model: long and ill-formed lines are translated in parts") {
  const OpenModel model = open_real();
  dragoman_session_options limits = test::batch_options(16);
  limits.max_source_tokens = 64;
  const auto session = model.session(limits);
  dragoman_translate_options options = dragoman_default_translate_options();
  options.max_length_factor = 0.1f;
  std::string words;
  while (words.size() < 20000) words += "the long road to the old town and ";
  for (const std::string& text : {std::string(20000, 'x'), words, std::string(20000, '\xff'), "a \xc3 b" + words}) {
    const KeptInput result = test::translate_one(session.get(), text, &options);
    CHECK(test::covers(result, text));
    CHECK((result.flags & DRAGOMAN_CUT) != 0);
    for (const test::KeptSegment& segment : result.segments) CHECK(segment.source_ids.size() <= 64);
  }
}

TEST_CASE("real model: a text's sentences are translated as each alone, and joined as they were") {
  const OpenModel model = open_real();
  const auto session = model.session(test::batch_options(4));
  const std::vector<std::string> sentences = {"The train was late.", "Nobody knew why.", "We walked home."};
  const KeptInput whole = test::translate_one(session.get(), sentences[0] + "  " + sentences[1] + "\n" + sentences[2]);
  REQUIRE(whole.segments.size() == 3);
  std::string expected;
  for (size_t i = 0; i < 3; ++i) {
    const KeptInput alone = test::translate_one(session.get(), sentences[i]);
    CHECK(whole.segments[i].ids == alone.segments[0].ids);
    CHECK(whole.segments[i].score_bits == alone.segments[0].score_bits);
    expected += (i == 1 ? "  " : i == 2 ? "\n" : "") + alone.text();
  }
  CHECK(whole.text() == expected);
}

}  // namespace
}  // namespace dragoman
