// A text's journey through a session: splitting, gaps, blank and ill-formed input, limits and cancelling.
// Neighbours: long sentences are in test_long_texts.cc, wrong arguments in test_arguments.cc.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;
using test::translate_one;

constexpr int32_t kEnd = 0;  // of the tiny model

// The tiny model with `bias` on the scores of `id`, or of all ids (-1).
test::AlignedBytes with_bias(int32_t id, float bias) {
  test::ModelBuilder b = test::tiny_model_builder();
  std::vector<float> values(24, id < 0 ? bias : 0.0f);
  if (id >= 0) values[static_cast<size_t>(id)] = bias;
  const uint32_t tensor = b.add("bias", schema::TensorType::F32, {24}, values);
  b.model.graph->step->nodes.back()->op.AsLogits()->bias = static_cast<int32_t>(tensor);
  return b.finish();
}

dragoman_translate_options unsplit() {
  dragoman_translate_options options = dragoman_default_translate_options();
  options.one_sentence_per_input = true;
  return options;
}

TEST_CASE("TX-01: blank inputs come back as they are, without a decoder step") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  const std::vector<std::string> blanks = {"",         " ",        "\n",           " \n \n",       "\t",
                                           "\xc2\xa0", "\r\n\r\n", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xe3\x80\x80",
                                           "\a",       {"\0", 1},  {"\0 \0\n", 4}};
  const std::vector<KeptInput> results = test::translate(session.get(), blanks);
  for (size_t i = 0; i < blanks.size(); ++i) {
    CAPTURE(i);
    CHECK(results[i].segments.empty());
    CHECK(results[i].gap_after == blanks[i]);
    CHECK(results[i].score_bits == 0);
    CHECK(results[i].flags == 0);
  }
  const std::vector<std::string> between = {"a", "", "b"};
  const std::vector<KeptInput> three = test::translate(session.get(), between);
  CHECK(three[0] == translate_one(session.get(), "a"));
  CHECK(three[1].text().empty());
  CHECK(three[2] == translate_one(session.get(), "b"));
}

TEST_CASE("TX-02: white space between sentences and at both ends comes back byte for byte") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(4));
  struct {
    std::string input;
    std::vector<std::string> gaps;  // before each segment, then after the last
  } cases[] = {
      {"Fine!!\n\n", {"", "\n\n"}},
      {" \tGo on.\r\nRest now.\r\n", {" \t", "\r\n", "\r\n"}},
      {"\n\nGo on.\n\n\n\nRest now.", {"\n\n", "\n\n\n\n", ""}},
      {"Go on.\rRest now.", {"", "\r", ""}},
      {"Go on.\xe2\x80\xa8Rest now.", {"", "\xe2\x80\xa8", ""}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.input);
    const KeptInput result = translate_one(session.get(), c.input);
    std::vector<std::string> gaps;
    for (const test::KeptSegment& segment : result.segments) gaps.push_back(segment.gap);
    gaps.push_back(result.gap_after);
    CHECK(gaps == c.gaps);
    CHECK(test::covers(result, c.input));
  }
}

TEST_CASE("one sentence an input, or as many as there are") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(3));
  const std::string text = "A cat sat. The dog ran.  Go on!";
  const KeptInput split = translate_one(session.get(), text);
  REQUIRE(split.segments.size() == 3);
  CHECK(split.segments[1].gap == " ");
  CHECK(split.segments[2].gap == "  ");
  CHECK(text.substr(split.segments[1].source_begin, 12) == "The dog ran.");
  const dragoman_translate_options options = unsplit();
  const KeptInput whole = translate_one(session.get(), text, &options);
  REQUIRE(whole.segments.size() == 1);
  CHECK(whole.segments[0].source_begin == 0);
  CHECK(whole.segments[0].source_end == text.size());
  // A sentence of a text is translated as it is alone.
  const KeptInput alone = translate_one(session.get(), "The dog ran.");
  CHECK(alone.segments[0].ids == split.segments[1].ids);
  CHECK(alone.segments[0].score_bits == split.segments[1].score_bits);
}

TEST_CASE("an input's end sums its segments up") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(3));
  const std::string text = "Go on\xff. See me. Fed\xc3 dogs \x80ran.";
  const KeptInput result = translate_one(session.get(), text);
  CHECK(result.segments.size() >= 2);
  float score = 0;
  uint32_t flags = 0;
  size_t replaced = 0;
  for (const test::KeptSegment& segment : result.segments) {
    score += std::bit_cast<float>(segment.score_bits);
    flags |= segment.flags;
    replaced += segment.num_replaced;
  }
  CHECK(result.score_bits == std::bit_cast<uint32_t>(score));
  CHECK(score < 0);
  CHECK(result.flags == flags);
  CHECK(result.num_replaced == replaced);
}

TEST_CASE("DC-01: the encoder sees one end id, at the end") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(1));
  for (const std::string text : {"a b c.", "a</s>", "</s>", "<unk> a </s></s>"}) {
    CAPTURE(text);
    const dragoman_translate_options options = unsplit();
    const KeptInput result = translate_one(session.get(), text, &options);
    REQUIRE(result.segments.size() == 1);
    const std::vector<int32_t>& ids = result.segments[0].source_ids;
    CHECK(std::count(ids.begin(), ids.end(), kEnd) == 1);
    CHECK(ids.back() == kEnd);
  }
}

TEST_CASE("ill-formed UTF-8 is replaced and counted, the call goes on") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  const std::vector<std::string> inputs = {"a \xff b",     "\xc3",          "a\xe2\x82 c \xf0\x9f\x98",
                                           "a \xc3\xa9 b", "\xed\xa0\x80x", std::string(40, '\x80')};
  const std::vector<size_t> counts = {1, 1, 2, 0, 3, 40};
  const std::vector<KeptInput> results = test::translate(session.get(), inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(i);
    CHECK(results[i].num_replaced == counts[i]);
    CHECK(((results[i].flags & DRAGOMAN_REPLACED_INVALID) != 0) == (counts[i] > 0));
    CHECK(test::covers(results[i], inputs[i]));
  }
  // Replaced is read as U+FFFD.
  CHECK(results[0].segments[0].ids == translate_one(session.get(), "a \xef\xbf\xbd b").segments[0].ids);
}

TEST_CASE("NUL bytes are text like any other") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(1));
  const std::string text("a b\0c d. \0e", 11);
  const KeptInput result = translate_one(session.get(), text);
  CHECK(test::covers(result, text));
  CHECK(result.segments.back().source_end == text.size());
  CHECK(result.num_replaced == 0);
}

TEST_CASE("whatever the bytes are, ranges and gaps cover them") {
  const OpenModel model(test::tiny_model());
  dragoman_session_options limits = test::batch_options(5);
  limits.max_source_tokens = 24;
  const auto session = model.session(limits);
  std::mt19937 random(11);
  const std::string alphabet[] = {"a",        "b",       " ",           ".", "\n", "\xff", "\xe2\x80\x8b",
                                  "\xc3\xa9", {"\0", 1}, "\xe3\x80\x82"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (size_t n = random() % 120; n > 0; --n) {
      if (round % 3 == 0)
        text += static_cast<char>(random() % 256);
      else
        text += alphabet[random() % std::size(alphabet)];
    }
    dragoman_translate_options options = dragoman_default_translate_options();
    options.one_sentence_per_input = round % 2 == 0;
    options.max_length_factor = 0.25f;
    const KeptInput result = translate_one(session.get(), text, &options);
    CAPTURE(round, text);
    CHECK(test::covers(result, text));
    for (const test::KeptSegment& segment : result.segments) {
      CHECK(segment.source_ids.size() <= 24);
      CHECK(segment.source_end > segment.source_begin);
    }
  }
}

TEST_CASE("the length factor bounds what is generated, and the flag says so") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  std::mt19937 random(3);
  size_t limited = 0;
  for (const float factor : {0.01f, 0.5f, 1.0f, 2.0f, 1000.0f}) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.max_length_factor = factor;
    for (int i = 0; i < 20; ++i) {
      const KeptInput result = translate_one(session.get(), test::random_words(1 + random() % 5, &random), &options);
      for (const test::KeptSegment& segment : result.segments) {
        const double most = std::max(1.0, std::ceil(double{factor} * static_cast<double>(segment.source_ids.size())));
        CHECK(static_cast<double>(segment.ids.size()) <= most);
        CHECK(segment.ids.size() <= 64);  // the model's positions
        const bool at_limit = segment.ids.back() != kEnd;
        CHECK(((segment.flags & DRAGOMAN_LENGTH_LIMIT) != 0) == at_limit);
        limited += at_limit ? 1 : 0;
      }
    }
  }
  CHECK(limited > 0);
  // 0 is the model's own factor.
  dragoman_translate_options own = dragoman_default_translate_options();
  own.max_length_factor = 2.0f;
  CHECK(translate_one(session.get(), "abc", &own) == translate_one(session.get(), "abc"));
}

TEST_CASE("a cancelled call stops, and the session serves on") {
  const OpenModel model(test::tiny_model());
  const std::vector<std::string> inputs = {"Go on. Rest now.", "Ed fed.", "", "He sat. It ran. Go on."};
  const std::vector<dragoman_text> texts = test::as_texts(inputs);
  for (const uint32_t batch : {1u, 8u}) {
    const auto session = model.session(test::batch_options(batch));
    const std::vector<KeptInput> expected = test::translate(session.get(), inputs);
    for (size_t at = 0; at < 10; ++at) {
      CAPTURE(batch, at);
      test::KeepingSink keeper(at);
      const dragoman_sink sink = keeper.sink();
      dragoman_error error = {};
      CHECK(dragoman_translate(session.get(), texts.data(), texts.size(), nullptr, &sink, &error) ==
            DRAGOMAN_CANCELLED);
      CHECK(error.code == DRAGOMAN_CANCELLED);
      // What was received before stands.
      for (size_t i = 0; i < keeper.inputs().size(); ++i) CHECK(keeper.inputs()[i] == expected[i]);
      CHECK(test::translate(session.get(), inputs) == expected);
    }
  }
}

TEST_CASE("either function of a sink may be missing") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  const dragoman_text text = {"Go on. Rest now.", 16};
  size_t calls = 0;
  const dragoman_sink segments = {
      &calls, [](void* n, const dragoman_segment*) { return ++*static_cast<size_t*>(n) > 0; }, nullptr};
  CHECK(dragoman_translate(session.get(), &text, 1, nullptr, &segments, nullptr) == DRAGOMAN_OK);
  CHECK(calls == 2);
  const dragoman_sink ends = {&calls, nullptr,
                              [](void* n, const dragoman_input_end*) { return ++*static_cast<size_t*>(n) > 0; }};
  CHECK(dragoman_translate(session.get(), &text, 1, nullptr, &ends, nullptr) == DRAGOMAN_OK);
  CHECK(calls == 3);
  CHECK(dragoman_translate(session.get(), nullptr, 0, nullptr, &ends, nullptr) == DRAGOMAN_OK);
  CHECK(calls == 3);
}

TEST_CASE("a sentence that ends carries no flag") {
  const OpenModel model(with_bias(kEnd, 1000.0f));
  const auto session = model.session(test::batch_options(2));
  dragoman_translate_options options = dragoman_default_translate_options();
  options.min_length = 0;
  const KeptInput result = translate_one(session.get(), "abc", &options);
  REQUIRE(result.segments.size() == 1);
  CHECK(result.segments[0].ids == std::vector<int32_t>{kEnd});
  CHECK(result.segments[0].flags == 0);
  CHECK(result.text().empty());
}

// A model whose weights give NaN: the call says so and the session stays usable.
TEST_CASE("DC-11: no finite score is an error that names the step") {
  const OpenModel model(with_bias(-1, std::numeric_limits<float>::quiet_NaN()));
  const auto session = model.session(test::batch_options(2));
  for (int round = 0; round < 2; ++round) {
    test::KeepingSink keeper;
    const dragoman_sink sink = keeper.sink();
    const dragoman_text texts[] = {{"", 0}, {"a b", 3}};
    dragoman_error error = {};
    CHECK(dragoman_translate(session.get(), texts, 2, nullptr, &sink, &error) == DRAGOMAN_NUMERICAL);
    CHECK(std::string(error.message).find("step 0") != std::string::npos);
  }
  CHECK(translate_one(session.get(), " \n").text() == " \n");
}

}  // namespace
}  // namespace dragoman
