// Where a sentence that is too long is cut: the order of preferences, clusters, and what holds for any bytes.
#include <ctime>
#include <iterator>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "text/cut.h"
#include "text/utf8.h"

namespace dragoman::text {
namespace {

std::string first_part(std::string_view sentence, size_t max_bytes) {
  return std::string(sentence.substr(0, best_cut(sentence, max_bytes)));
}

TEST_CASE("cut: a sentence that fits stays whole") {
  CHECK(best_cut("abc", 3) == 3);
  CHECK(best_cut("abc", 100) == 3);
  CHECK(best_cut("", 5) == 0);
}

TEST_CASE("cut: preferences") {
  CHECK(first_part("We came home; we slept, then left", 26) == "We came home; ");
  CHECK(first_part("We came home; we slept, then left", 29) == "We came home; ");  // 13 >= 29 / 2 is false
  CHECK(first_part("He came, she saw it all there", 15) == "He came, ");
  CHECK(first_part("one two three four five", 12) == "one two ");
  CHECK(first_part("one two three four five", 13) == "one two three");
  CHECK(first_part("one two  three", 8) == "one two ");
  CHECK(first_part("x aaaaaaaaaaaaaaaaaaaaaaaa", 20) == "x ");
  CHECK(first_part("at 10:30:15 or 1,000,000 in all", 22) == "at 10:30:15 or ");
  CHECK(first_part("he said “yes;” and then he left", 24) == "he said “yes;” ");
  CHECK(first_part("a very long-winded—but true—story", 30) == "a very long-winded—");
  CHECK(first_part("aaaa well - so it goes on", 20) == "aaaa well - ");
  CHECK(first_part("https://a.example/path/to/file", 27) == "https://a.example/path/to/");
}

TEST_CASE("cut: scripts without spaces") {
  CHECK(first_part("我们今天去了北京，然后去了上海然后", 40) == "我们今天去了北京，");
  CHECK(first_part("我们今天；去了北京，然后去了上海然后", 34) == "我们今天；去了北京，");
  CHECK(first_part("彼は昨日東京へ行った", 18) == "彼は昨日東京");
  CHECK(first_part("彼は昨日東京へ行った", 24) == "彼は昨日東京へ");
  CHECK(first_part("我们我们hello", 14) == "我们我们");
  CHECK(first_part("我们我们我们", 10) == "我们我");
}

TEST_CASE("cut: visible clusters stay whole") {
  CHECK(first_part("e\xCC\x81"
                   "e\xCC\x81",
                   4) == "e\xCC\x81");
  CHECK(first_part("ab\xCC\x81\xCC\x82", 4) == "a");
  CHECK(first_part("👨‍👩‍👧👨‍👩‍👧", 30) == "👨‍👩‍👧");
  CHECK(first_part("🇩🇪🇫🇷🇵🇹", 20) == "🇩🇪🇫🇷");
  CHECK(first_part("👍🏽👍🏽", 13) == "👍🏽");
  CHECK(first_part("कक्षक", 9) == "क");  // ka + virama + ssa is one conjunct
  CHECK(first_part("한한", 4) == "한");
}

TEST_CASE("cut: a cluster larger than the limit is cut between characters, a character never") {
  CHECK(first_part("e\xCC\x81\xCC\x81\xCC\x81", 4) == "e\xCC\x81");
  CHECK(first_part("\xF0\x9F\x98\x80x", 2) == "\xF0\x9F\x98\x80");
  CHECK(first_part("ab", 0) == "a");
  CHECK(first_part("\xF0\x9F\x98", 1) == "\xF0");
}

TEST_CASE("cut: any bytes, any limit: progress, on a boundary, within the limit, same result again") {
  std::mt19937 random(2);
  const std::string_view pieces[] = {"a",
                                     " ",
                                     ";",
                                     ",",
                                     "\xCC\x81",
                                     "\xE6\x98\xAF",
                                     "\xF0\x9F\x87\xA9",
                                     "\xE2\x80\x8D",
                                     "\xFF",
                                     "\xE2\x80",
                                     "\"",
                                     "-",
                                     "\xE3\x80\x81",
                                     "\r",
                                     "\n"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    while (text.size() < 1 + random() % 40) {
      if (i % 2 == 0) {
        text += static_cast<char>(random() % 256);
      } else {
        text += pieces[random() % std::size(pieces)];
      }
    }
    const size_t limit = random() % 45;
    const size_t cut = best_cut(text, limit);
    const bool sound = cut > 0 && cut <= text.size() && is_boundary(text, cut) &&
                       (cut <= limit || cut == decode_one(text, 0).bytes) && cut == best_cut(text, limit);
    if (!sound) FAIL("limit " << limit << " cut " << cut << " size " << text.size());
    // Nothing behind the limit's character matters.
    if (limit + 4 < text.size()) CHECK(best_cut(std::string_view(text).substr(0, limit + 4), limit) == cut);
  }
}

TEST_CASE("cut: a text of 1 MB is cut up in linear time") {
  for (std::string_view unit : {"a", " ", "\xCC\x81", "a ", "\xFF", ";", "\xF0\x9F\x87\xA9"}) {
    std::string text;
    while (text.size() < 1000000) text += unit;
    const std::clock_t start = std::clock();
    size_t parts = 0;
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(best_cut(rest, 400))) ++parts;
    CHECK(std::clock() - start < CLOCKS_PER_SEC);
    CHECK(parts <= text.size() / 199);
  }
}

}  // namespace
}  // namespace dragoman::text
