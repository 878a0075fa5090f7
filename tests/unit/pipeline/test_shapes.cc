// RT-04: widths and vocabularies that are no multiple of any vector width, converted and translated.
// Neighbours: make_marian_model makes the students; tests of kernels/ cover each product alone.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/support/translation.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman {
namespace {

using test::KeptInput;
using test::MarianModelOptions;
using test::OpenModel;

MarianModelOptions odd_shape(uint32_t vocabulary, float output_bias) {
  MarianModelOptions made;
  made.width = 20;
  made.ffn_width = 36;
  made.num_heads = 5;
  made.source_vocabulary = made.target_vocabulary = vocabulary;
  made.output_bias_middle = output_bias;
  return made;
}

double per_id(const test::KeptSegment& segment) {
  return double{std::bit_cast<float>(segment.score_bits)} / static_cast<double>(segment.ids.size());
}

// int8 and float products see the same weights. With made-up weights many ids score nearly alike, so what must agree
// is how probable the found ids are, and often the first id.
void compare_with_f32(const std::string& path, uint32_t vocabulary, bool shortlist) {
  const OpenModel quantized(path), exact(path, DRAGOMAN_COMPUTE_F32);
  dragoman_translate_options options = dragoman_default_translate_options();
  options.shortlist = shortlist;
  const std::vector<std::string> texts = test::mixed_texts(60, 20);
  const auto a = test::translate(quantized.session(test::batch_options(7)).get(), texts, &options);
  const auto b = test::translate(exact.session(test::batch_options(7)).get(), texts, &options);
  size_t segments = 0, same_first = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    REQUIRE(a[i].segments.size() == b[i].segments.size());
    for (size_t k = 0; k < a[i].segments.size(); ++k) {
      const test::KeptSegment &x = a[i].segments[k], &y = b[i].segments[k];
      REQUIRE(x.source_ids == y.source_ids);
      for (const test::KeptSegment* one : {&x, &y}) {
        if (one->ids.empty()) continue;
        CHECK(std::ranges::all_of(one->ids,
                                  [&](int32_t id) { return id >= 0 && id < static_cast<int32_t>(vocabulary); }));
        CHECK(std::isfinite(per_id(*one)));
        CHECK(per_id(*one) < 0.0);
        CHECK(per_id(*one) >= -std::log(static_cast<double>(vocabulary)) - 1e-3);  // the best of n has at least 1/n
      }
      if (x.ids.empty() || y.ids.empty()) continue;
      ++segments;
      same_first += x.ids[0] == y.ids[0] ? 1 : 0;
    }
  }
  CAPTURE(segments, same_first);
  CHECK(segments > 40);
  CHECK(same_first * 10 >= segments * 8);
}

TEST_CASE("RT-04: vocabularies of 1001 and 1004, width 20, inner width 36, 5 heads") {
  for (const uint32_t vocabulary : {1001u, 1004u}) {
    for (const float bias : {0.0f, -50.0f}) {
      for (const bool shortlist : {true, false}) {
        CAPTURE(vocabulary, bias, shortlist);
        const test::TemporaryFolder folder;
        (void)test::convert_made_up(folder, odd_shape(vocabulary, bias));
        compare_with_f32(folder.path("out.drg"), vocabulary, shortlist);
      }
    }
  }
}

TEST_CASE("RT-04: source and target vocabularies of different sizes, and float weights") {
  MarianModelOptions made = odd_shape(1001, -50.0f);
  made.target_vocabulary = 1004;
  made.tying = test::MarianTying::kOutput;
  const test::TemporaryFolder folder;
  (void)test::convert_made_up(folder, made);
  compare_with_f32(folder.path("out.drg"), 1004, true);

  made.weights = test::MarianWeights::kFloat;
  converter::ConvertOptions keep;
  keep.weight_type = converter::WeightType::kF32;
  const test::TemporaryFolder other;
  (void)test::convert_made_up(other, made, keep);
  compare_with_f32(other.path("out.drg"), 1004, false);
}

TEST_CASE("RT-04: odd shapes do not depend on batch and threads either") {
  const test::TemporaryFolder folder;
  (void)test::convert_made_up(folder, odd_shape(1001, -50.0f));
  const OpenModel model(folder.path("out.drg"));
  const std::vector<std::string> texts = test::mixed_texts(12, 8);
  const auto expected = test::translate(model.session(test::batch_options(1)).get(), texts);
  for (const uint32_t batch : {2u, 7u, 64u}) {
    for (const uint32_t threads : {1u, 2u}) {
      CAPTURE(batch, threads);
      CHECK(test::translate(model.session(test::batch_options(batch, threads)).get(), texts) == expected);
    }
  }
}

}  // namespace
}  // namespace dragoman
