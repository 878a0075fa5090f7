// Attention and alignments through the C interface: of given translations, and where they cannot be had.
// Neighbours: tests/parity/families compares the numbers, tests/parity/decoding how they depend on company.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::OpenModel;

const std::vector<std::string> kTexts = {"a b c", "abc", "t s r q p", "k l m n o", "e e e e", "b", "d o g"};

dragoman_session_options with_attention(uint32_t batch) {
  dragoman_session_options options = test::batch_options(batch);
  options.full_logits = true;
  options.attention = true;
  return options;
}

dragoman_translate_options asking() {
  dragoman_translate_options options = dragoman_default_translate_options();
  options.shortlist = false;
  options.one_sentence_per_input = true;
  options.attention = true;
  return options;
}

std::vector<KeptInput> score(const OpenModel& model, const std::vector<std::string>& targets, uint32_t batch) {
  const auto session = model.session(with_attention(batch));
  const dragoman_translate_options options = asking();
  test::KeepingSink keeping;
  const dragoman_sink sink = keeping.sink();
  dragoman_error error = {};
  const dragoman_code code = dragoman_score(session.get(), test::as_texts(kTexts).data(),
                                            test::as_texts(targets).data(), kTexts.size(), &options, &sink, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  return keeping.inputs();
}

TEST_CASE("attention of a given translation is that of translating") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(with_attention(1));
  const dragoman_translate_options options = asking();
  const std::vector<KeptInput> translated = test::translate(session.get(), kTexts, &options);
  std::vector<std::string> targets;
  for (const KeptInput& input : translated) targets.push_back(input.text());
  const std::vector<KeptInput> scored = score(model, targets, 1);
  CHECK(score(model, targets, 4) == scored);
  size_t same_ids = 0;
  for (size_t i = 0; i < kTexts.size(); ++i) {
    const test::KeptSegment& given = scored[i].segments[0];
    const size_t sources = given.source_ids.size();
    REQUIRE(given.attention.size() == given.ids.size() * sources);
    for (size_t t = 0; t < given.ids.size(); ++t) {
      const auto row = given.attention.begin() + static_cast<ptrdiff_t>(t * sources);
      float sum = 0;
      for (size_t k = 0; k < sources; ++k) sum += row[static_cast<ptrdiff_t>(k)];
      CHECK(std::fabs(sum - 1.0f) < 1e-5f);
      CHECK(given.alignment[t] == std::max_element(row, row + static_cast<ptrdiff_t>(sources)) - row);
    }
    const test::KeptSegment& found = translated[i].segments[0];
    if (found.ids != given.ids) continue;  // the text reads as other pieces
    ++same_ids;
    CHECK(found.attention == given.attention);
    CHECK(found.alignment == given.alignment);
  }
  CHECK(same_ids > 0);
}

TEST_CASE("what is not asked for is not given, and heads that are not there are refused") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(with_attention(2));
  for (const KeptInput& input : test::translate(session.get(), kTexts)) {
    for (const test::KeptSegment& segment : input.segments) CHECK(segment.attention.empty());
  }
  dragoman_translate_options options = asking();
  const dragoman_attention_head heads[] = {{0, 0}, {1000, 0}, {0, 1000}, {-2, 0}, {0, -2}};
  for (const dragoman_attention_head& head : heads) {
    options.attention_heads = &head;
    options.num_attention_heads = 1;
    const dragoman_text text = {"a b", 3};
    test::KeepingSink keeping;
    const dragoman_sink sink = keeping.sink();
    const dragoman_code code = dragoman_translate(session.get(), &text, 1, &options, &sink, nullptr);
    CHECK(code == (&head == heads ? DRAGOMAN_OK : DRAGOMAN_INVALID_ARGUMENT));
  }
  options.attention_heads = nullptr;
  const dragoman_text text = {"a b", 3};
  test::KeepingSink keeping;
  const dragoman_sink sink = keeping.sink();
  CHECK(dragoman_translate(session.get(), &text, 1, &options, &sink, nullptr) == DRAGOMAN_INVALID_ARGUMENT);
}

TEST_CASE("a cache type that there is not is refused") {
  const OpenModel model(test::tiny_model());
  dragoman_session_options options = test::batch_options(1);
  options.cache_type = static_cast<dragoman_cache_type>(DRAGOMAN_CACHE_INT8 + 1);
  dragoman_session* session = nullptr;
  dragoman_error error = {};
  CHECK(dragoman_session_create(model.get(), &options, nullptr, 0, &session, &error) == DRAGOMAN_INVALID_ARGUMENT);
  CHECK(std::string(error.message).find("cache_type") != std::string::npos);
}

}  // namespace
}  // namespace dragoman
