// The sentence splitter's promises that hold for any text: nothing lost, linear time, options; and the recorded cases.
#include <algorithm>
#include <ctime>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "text/char_class.h"
#include "text/sentence_splitter.h"
#include "text/utf8.h"

namespace dragoman::text {
namespace {

// Walks the text, checks what always holds and returns the sentences.
std::vector<std::string> split(std::string_view text, const SplitOptions& options = {}) {
  const SentenceSplitter splitter(options);
  std::vector<std::string> sentences;
  std::string rebuilt;
  size_t position = 0;
  bool sound = true;
  while (true) {
    const Sentence s = splitter.next(text, position);
    sound &= position <= s.begin && s.begin <= s.end && s.end <= s.next && s.next <= text.size();
    if (!sound) break;
    for (size_t border : {s.begin, s.end, s.next}) sound &= is_boundary(text, border);
    rebuilt += text.substr(position, s.next - position);
    if (s.empty()) break;
    sound &= !is_blank(decode_one(text, s.begin).code_point) && !is_blank(decode_before(text, s.end).code_point);
    for (size_t at = s.end; at < s.next;) {
      const Decoded c = decode_one(text, at);
      sound &= is_blank(c.code_point);
      at += c.bytes;
    }
    sentences.emplace_back(text.substr(s.begin, s.end - s.begin));
    position = s.next;
  }
  if (!sound) FAIL("unsound range in a text of " << text.size() << " bytes");
  if (rebuilt != text) FAIL("text not given back");
  return sentences;
}

using Sentences = std::vector<std::string>;

TEST_CASE("splitter: nothing is lost from random bytes and from random punctuation") {
  const std::string_view pieces[] = {".",
                                     "!",
                                     "?",
                                     "...",
                                     " ",
                                     "\n",
                                     "\"",
                                     "'",
                                     ")",
                                     "(",
                                     "a",
                                     "A",
                                     "Mr",
                                     "U.S",
                                     "5",
                                     "\t",
                                     "\xE3\x80\x82",
                                     "\xE2\x80\x9D",
                                     "\xC2\xA0",
                                     ";",
                                     "\xCE\xB1",
                                     "\xFF",
                                     "\xE2\x80",
                                     "\xE2\x80\x8B",
                                     "[1]",
                                     "-",
                                     ":",
                                     "\xE0\xA5\xA4",
                                     "\xE6\x98\xAF",
                                     "\xE3\x81\xA8",
                                     "\xC2\xBB",
                                     "\xC2\xAB",
                                     "*",
                                     "e.g",
                                     "\xEF\xBB\xBF",
                                     "the"};
  std::mt19937 random(1);
  const std::string_view extra[] = {"A. A.", "the"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const size_t length = random() % 40;
    for (size_t k = 0; k < length; ++k) {
      if (i % 2 == 0) {
        text += static_cast<char>(random() % 256);
      } else {
        text += pieces[random() % std::size(pieces)];
      }
    }
    split(text, {.language = i % 3 == 0 ? "de" : "en", .extra_abbreviations = extra});
  }
}

TEST_CASE("splitter: a set position is enough to go on") {
  const std::string text = "One. Two! Three?  Four.";
  const SentenceSplitter splitter;
  const Sentence third = splitter.next(text, text.find("Three"));
  CHECK(text.substr(third.begin, third.end - third.begin) == "Three?");
  CHECK(third.next == text.find("Four"));
  CHECK(splitter.next(text, text.size()).empty());
}

TEST_CASE("splitter: blanks around and between are gaps") {
  CHECK(split("  One.\n\nTwo.\t\xC2\xA0 ") == Sentences{"One.", "Two."});
  CHECK(split("\xEF\xBB\xBFHello. There.") == Sentences{"Hello.", "There."});
  CHECK(split(std::string_view("\0One.\0 Two.\0", 12)) == Sentences{"One.", "Two."});
}

TEST_CASE("TX-02: every line break ends a sentence, stop or not") {
  for (const std::string line_end :
       {"\n", "\r\n", "\r", "\n\n", " \n\t", "\v", "\f", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xC2\xA0\n"}) {
    CAPTURE(line_end);
    CHECK(split("One line" + line_end + "and another.") == Sentences{"One line", "and another."});
    CHECK(split("a." + line_end + "b.") == Sentences{"a.", "b."});
    CHECK(split("Dr." + line_end + "\"lower\" " + line_end) == Sentences{"Dr.", "\"lower\""});
    CHECK(split("Oui." + line_end + "\xC2\xBB") == Sentences{"Oui.", "\xC2\xBB"});
    CHECK(split("\xE4\xBD\xA0" + line_end + "\xE5\xA5\xBD") == Sentences{"\xE4\xBD\xA0", "\xE5\xA5\xBD"});
  }
}

TEST_CASE("splitter: disabled, the trimmed text is one sentence") {
  const SplitOptions options{.enabled = false};
  CHECK(split(" One. Two! \n", options) == Sentences{"One. Two!"});
  CHECK(split(" \n ", options).empty());
}

TEST_CASE("TX-01: blank texts have no sentence") {
  for (std::string_view text :
       {"", " ", "\n", " \n \n", "\t", "\xC2\xA0", "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xE3\x80\x80", "\x07"}) {
    CHECK(split(text).empty());
  }
}

TEST_CASE("TX-06: no border inside addresses, paths and placeholders") {
  const char* text =
      "Dear %2$d, see https://docs.test.example/p_q?k=9&m=%2F#top or write to x.y+z@mail.example, file "
      "D:\\out\\log.txt, {{count}}, ${PATH}, <1>link</1> as text, @team #news. Thank you.";
  const Sentences sentences = split(text);
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[1] == "Thank you.");
}

TEST_CASE("TX-09: scripts without spaces") {
  CHECK(split("PDFを開きます。印刷します。") == Sentences{"PDFを開きます。", "印刷します。"});
  CHECK(split("『行こう。』彼は立った。") == Sentences{"『行こう。』", "彼は立った。"});
  CHECK(split("她问：“走吗？！”我点头。天黑了。") == Sentences{"她问：“走吗？！”", "我点头。", "天黑了。"});
  CHECK(split("बारिश हुई। सड़क भीगी।") == Sentences{"बारिश हुई।", "सड़क भीगी।"});
  CHECK(split("هل وصلت؟ نعم وصلت.") == Sentences{"هل وصلت؟", "نعم وصلت."});
  CHECK(split("2。71") == Sentences{"2。71"});
}

TEST_CASE("TX-22: invisible characters") {
  CHECK(split("Es wiegt 10\xC2\xA0kg. Gut.") == Sentences{"Es wiegt 10\xC2\xA0kg.", "Gut."});
  CHECK(split("Wort\xC2\xADteil") == Sentences{"Wort\xC2\xADteil"});
  CHECK(split("a\xE2\x80\x8B"
              "b") == Sentences{"a\xE2\x80\x8B"
                                "b"});
  CHECK(split("«\xE2\x80\xAFOui\xE2\x80\xAF»") == Sentences{"«\xE2\x80\xAFOui\xE2\x80\xAF»"});
  CHECK(split("Voilà. Là.") == Sentences{"Voilà.", "Là."});
}

TEST_CASE("BD-06: the caller's abbreviations change the result") {
  CHECK(split("Das Foobar. Zwei gilt.") == Sentences{"Das Foobar.", "Zwei gilt."});
  CHECK(split("Nimm x. Bb. Zwei.") != Sentences{"Nimm x. Bb. Zwei."});
  const std::string_view extra[] = {"Foobar.", "x. Bb.", "Yahoo!", "z. B.", "Vj"};
  const SplitOptions options{.language = "de", .extra_abbreviations = extra};
  CHECK(split("Das Foobar. Zwei gilt.", options) == Sentences{"Das Foobar. Zwei gilt."});
  CHECK(split("Das MeinFoobar. Zwei gilt.", options) == Sentences{"Das MeinFoobar.", "Zwei gilt."});
  CHECK(split("Nimm x. Bb. Zwei.", options) == Sentences{"Nimm x. Bb. Zwei."});
  CHECK(split("Bei Yahoo! Japan. Ende.", options) == Sentences{"Bei Yahoo! Japan.", "Ende."});
  CHECK(split("Im 3. Vj. Danach nicht. Ende.", options) == Sentences{"Im 3. Vj. Danach nicht.", "Ende."});
  CHECK(split("Gold, z. B. Es. Ende.", options) == Sentences{"Gold, z. B. Es.", "Ende."});
}

std::string repeat(std::string_view unit, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

double seconds_to_split(const std::string& text) {
  const SentenceSplitter splitter;
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();  // processor time, so that a busy machine does not disturb
    for (size_t at = 0; at < text.size();) at = splitter.next(text, at).next;
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

TEST_CASE("TX-08: pathological punctuation takes linear time") {
  for (std::string_view unit : {".",
                                "a.",
                                "A.",
                                "\"",
                                "'",
                                " ",
                                "\n",
                                " .",
                                ". ",
                                "a. ",
                                "A. ",
                                "U.S. ",
                                "(",
                                ")",
                                "a",
                                ".\" ",
                                ". (",
                                ".( ",
                                "http://",
                                "[1]",
                                ".[1] ",
                                "1. ",
                                "z.B. ",
                                "\xE3\x80\x82",
                                "\xE3\x80\x82\"",
                                "\xE3\x80\x82\xE2\x80\x9C",
                                "\xFF",
                                "\x80",
                                "\xC2\xA0",
                                ".-",
                                ". - ",
                                "\xE2\x80\x8B",
                                ".\xE2\x80\x8B",
                                "Mr. ",
                                "! \"",
                                "\xCC\x80"}) {
    const double half = seconds_to_split(repeat(unit, 500000));
    const double whole = seconds_to_split(repeat(unit, 1000000));
    INFO("unit '" << unit << "', " << half << " s and " << whole << " s");
    CHECK(whole < 1.0);
    // 0.03 s for the clock's noise: anything quadratic takes minutes at this size.
    CHECK(whole < 3 * half + 0.03);
  }
  split("word" + std::string(100000, '.'));
}

}  // namespace
}  // namespace dragoman::text
