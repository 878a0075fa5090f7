// Attention and alignments through the C interface: of given translations, and where they cannot be had.
// Neighbours: tests/parity/families compares the numbers, tests/parity/decoding how they depend on company.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>

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

void check_rows(const test::KeptSegment& segment) {
  const size_t sources = segment.source_ids.size();
  REQUIRE(segment.attention.size() == segment.ids.size() * sources);
  for (size_t t = 0; t < segment.ids.size(); ++t) {
    const auto row = segment.attention.begin() + static_cast<ptrdiff_t>(t * sources);
    float sum = 0;
    for (size_t k = 0; k < sources; ++k) sum += row[static_cast<ptrdiff_t>(k)];
    CHECK(std::fabs(sum - 1.0f) < 1e-5f);
    CHECK(segment.alignment[t] == std::max_element(row, row + static_cast<ptrdiff_t>(sources)) - row);
  }
}

TEST_CASE("attention of a given translation is that of a translation that begins with it") {
  const OpenModel model(test::tiny_model());
  const std::vector<std::string> targets(kTexts.rbegin(), kTexts.rend());
  const std::vector<KeptInput> scored = score(model, targets, 1);
  CHECK(score(model, targets, 4) == scored);
  const auto session = model.session(with_attention(1));
  for (size_t i = 0; i < kTexts.size(); ++i) {
    const test::KeptSegment& given = scored[i].segments[0];
    check_rows(given);
    dragoman_translate_options options = asking();
    options.forced_ids = given.ids.data();
    options.num_forced_ids = given.ids.size() - 1;  // without the end
    const KeptInput translated = test::translate_one(session.get(), kTexts[i], &options);
    const test::KeptSegment& found = translated.segments[0];
    check_rows(found);
    REQUIRE(found.ids.size() > options.num_forced_ids);
    // The last row is that of what comes after the forced ids.
    CHECK(std::vector<float>(found.attention.begin(),
                             found.attention.begin() + static_cast<ptrdiff_t>(given.attention.size())) ==
          given.attention);
  }
}

TEST_CASE("what is not asked for is not given, and heads that are not there are refused") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(with_attention(2));
  for (const KeptInput& input : test::translate(session.get(), kTexts)) {
    for (const test::KeptSegment& segment : input.segments) CHECK(segment.attention.empty());
  }
  dragoman_translate_options options = asking();
  const std::pair<dragoman_attention_head, const char*> heads[] = {{{0, 0}, ""},
                                                                   {{1000, 0}, "no layer 1000"},
                                                                   {{0, 1000}, "no head 1000"},
                                                                   {{-2, 0}, "no layer"},
                                                                   {{0, -2}, "no head"}};
  for (const auto& [head, words] : heads) {
    options.attention_heads = &head;
    options.num_attention_heads = 1;
    const dragoman_text text = {"a b", 3};
    test::KeepingSink keeping;
    const dragoman_sink sink = keeping.sink();
    dragoman_error error = {};
    const dragoman_code code = dragoman_translate(session.get(), &text, 1, &options, &sink, &error);
    CHECK(code == (*words == 0 ? DRAGOMAN_OK : DRAGOMAN_INVALID_ARGUMENT));
    CHECK(std::string(error.message).find(words) != std::string::npos);
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
