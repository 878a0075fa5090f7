// Marian's YAML vocabularies: tokens that look like YAML, and files that are no vocabulary.
#include "converter/formats/marian_vocab.h"

#include <catch2/catch_test_macros.hpp>

using dragoman::Code;
using dragoman::converter::MarianVocab;
using dragoman::converter::read_marian_vocab;

namespace {

MarianVocab read(std::string_view text) {
  auto vocab = read_marian_vocab(text);
  INFO(vocab.status().message());
  REQUIRE(vocab.ok());
  return std::move(vocab.value());
}

void check_refused(std::string_view text) {
  const auto vocab = read_marian_vocab(text);
  INFO("text: " << text);
  REQUIRE_FALSE(vocab.ok());
  CHECK(vocab.status().code() == Code::kDamaged);
}

}  // namespace

TEST_CASE("CV-14: escapes, order and words that mean something in YAML", "[tokenizer]") {
  const MarianVocab vocab = read(
      "\"\\x85\": 2\n"
      "''''  : 3\n"
      "\"\\\"\": 4\n"
      "\":\": 5\n"
      "</s>: 0\n"
      "\"#\": 6\n"
      "~: 7\n"
      "null: 8\n"
      "\"X\\r\": 9\n"
      "? \"two\xC2\x85lines\"\n"
      ": 10\n"
      "'007': 11\n"
      "008: 12\n"
      "true: 13\n"
      "1.5: 14\n"
      "\"\\\\\": 15\n"
      "\xE2\x96\x81the: 16\n"
      "\"~ \": 17\n"
      "'null ': 18\n"
      "<unk>: 1\n");
  CHECK(vocab.tokens == std::vector<std::string>{"</s>", "<unk>", "\xC2\x85", "'", "\"", ":", "#", "~", "null", "X\r",
                                                 "two\xC2\x85lines", "007", "008", "true", "1.5", "\\",
                                                 "\xE2\x96\x81the", "~ ", "null "});
  CHECK(vocab.end_id == 0);
  CHECK(vocab.unknown_id == 1);
}

TEST_CASE("spellings of nothing are tokens like others", "[tokenizer]") {
  CHECK(read("Null: 0\nNULL: 1\n</s>: 2\n<unk>: 3\n'~': 4\n\"null\": 5\n").tokens ==
        std::vector<std::string>{"Null", "NULL", "</s>", "<unk>", "~", "null"});
  CHECK(read("\xEF\xBB\xBF</s>: 0\r\n~: 1\r\n<unk>: 2\r\n").tokens == std::vector<std::string>{"</s>", "~", "<unk>"});
}

TEST_CASE("a list gives its tokens ids in order", "[tokenizer]") {
  CHECK(read("- </s>\n- <unk>\n- ~\n- 'a b'\n").tokens == std::vector<std::string>{"</s>", "<unk>", "~", "a b"});
}

TEST_CASE("what is no vocabulary is refused", "[tokenizer]") {
  check_refused("");
  check_refused("just a text");
  check_refused("</s>: 0\n<unk>: 2\n");              // a gap
  check_refused("</s>: 0\n<unk>: 0\n");              // an id twice
  check_refused("</s>: 0\n<unk>: 1\na: 2\na: 3\n");  // a token twice
  check_refused("</s>: 0\n<unk>: 1\na: -1\n");
  check_refused("</s>: 0\n<unk>: 1\na: 99999999999999999999999\n");
  check_refused("</s>: 0\n<unk>: 1\na: b\n");
  check_refused("</s>: 0\n<unk>: 1\na:\n");
  check_refused("</s>: 0\n<unk>: 1\n'': 2\n");
  check_refused("</s>: 0\n<unk>: 1\n: 2\n");
  check_refused("</s>: 0\n<unk>: [1]\n");
  check_refused("</s>: 0\n<unk>: &a 1\nb: *a\n");
  check_refused("a: 0\n<unk>: 1\n");
  check_refused("</s>: 0\na: 1\n");
  check_refused("</s>: 0\n\"<unk>: 1\n");
  check_refused(std::string(100000, '['));
}
