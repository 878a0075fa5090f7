// UTF-8 primitives and character classes: strictness, replacement, and the properties that the splitter relies on.
#include <clocale>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "text/char_class.h"
#include "text/utf8.h"

namespace dragoman::text {
namespace {

std::string sanitized(std::string_view in, size_t* num_replaced = nullptr) {
  std::string out(3 * in.size(), '\0');
  const Sanitized done = sanitize(in, out);
  CHECK(done.bytes_read == in.size());
  const Sanitized measured = measure_sanitized(in);
  CHECK(measured.bytes == done.bytes);
  CHECK(measured.num_replaced == done.num_replaced);
  if (num_replaced != nullptr) *num_replaced = done.num_replaced;
  out.resize(done.bytes);
  return out;
}

TEST_CASE("utf8: every code point survives encoding and decoding") {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    char bytes[kMaxUtf8Bytes];
    const size_t size = encode_one(c, bytes);
    const std::string_view text(bytes, size);
    const Decoded forward = decode_one(text, 0);
    const Decoded backward = decode_before(text, size);
    const bool same = forward.valid && forward.code_point == c && forward.bytes == size && backward.valid &&
                      backward.code_point == c && backward.bytes == size;
    if (!same) FAIL("code point " << static_cast<uint32_t>(c));
  }
}

TEST_CASE("utf8: surrogates and values beyond Unicode are encoded as U+FFFD") {
  for (char32_t c : std::initializer_list<char32_t>{0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) {
    char bytes[kMaxUtf8Bytes];
    CHECK(std::string_view(bytes, encode_one(c, bytes)) == "\xEF\xBF\xBD");
  }
}

TEST_CASE("utf8: ill-formed sequences consume one byte, or their maximal subpart") {
  struct Row {
    std::string_view bytes;
    size_t maximal;
  };
  const Row rows[] = {{"\x80", 1},
                      {"\xBF", 1},
                      {"\xC0\xAF", 1},
                      {"\xC1\xBF", 1},
                      {"\xE0\x80\xAF", 1},
                      {"\xE0\x9F\xBF", 1},
                      {"\xED\xA0\x80", 1},
                      {"\xED\xBF\xBF", 1},
                      {"\xF0\x80\x80\xAF", 1},
                      {"\xF0\x8F\xBF\xBF", 1},
                      {"\xF4\x90\x80", 1},
                      {"\xF5\x80", 1},
                      {"\xFF", 1},
                      {"\xE2\x82", 2},
                      {"\xE2\x82X", 2},
                      {"\xF0\x9F\x98", 3},
                      {"\xF0\x9F", 2},
                      {"\xC3", 1},
                      {"\xC3X", 1},
                      {"\xF1\x80\x80\xE1", 3}};
  for (const Row& row : rows) {
    CHECK_FALSE(decode_one(row.bytes, 0).valid);
    CHECK(decode_one(row.bytes, 0).bytes == 1);
    CHECK(decode_maximal(row.bytes, 0).bytes == row.maximal);
    CHECK(decode_maximal(row.bytes, 0).code_point == kReplacementCharacter);
  }
}

TEST_CASE("utf8: sanitize replaces maximal subparts and keeps the rest, NUL too") {
  size_t num_replaced = 0;
  // Unicode 15, table 3-8 and its neighbours.
  CHECK(sanitized("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", &num_replaced) ==
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x41");
  CHECK(num_replaced == 8);
  CHECK(sanitized("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", &num_replaced) ==
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x41");
  CHECK(num_replaced == 4);
  CHECK(sanitized("a\xEF\xBF\xBD", &num_replaced) == "a\xEF\xBF\xBD");
  CHECK(num_replaced == 0);
  CHECK(sanitized(std::string_view("\0x\0", 3), &num_replaced) == std::string_view("\0x\0", 3));
  CHECK(sanitized("", &num_replaced).empty());
}

TEST_CASE("utf8: sanitize stops before what does not fit") {
  char out[4];
  Sanitized done = sanitize("ab\xE2\x82\xAC", out);
  CHECK(done.bytes == 2);
  CHECK(done.bytes_read == 2);
  done = sanitize("ab\xFF", out);
  CHECK(done.bytes_read == 2);
  CHECK(done.num_replaced == 0);
  done = sanitize("a", std::span<char>());
  CHECK(done.bytes_read == 0);
}

TEST_CASE("utf8: backward walk and boundaries agree with the forward walk on every short byte string") {
  const unsigned char alphabet[] = {'a', 0x80, 0x9F, 0xA0, 0xBF, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF};
  std::string text(5, '\0');
  size_t indexes[5] = {};
  for (bool more = true; more;) {
    for (size_t i = 0; i < 5; ++i) text[i] = static_cast<char>(alphabet[indexes[i]]);
    std::vector<size_t> forward;
    for (size_t at = 0; at < text.size(); at += decode_one(text, at).bytes) forward.push_back(at);
    std::vector<size_t> backward;
    for (size_t end = text.size(); end > 0;) backward.insert(backward.begin(), end -= decode_before(text, end).bytes);
    if (forward != backward) FAIL("walks differ");
    for (size_t at = 0, i = 0; at < text.size(); ++at) {
      const bool boundary = i < forward.size() && forward[i] == at;
      i += boundary ? 1 : 0;
      if (is_boundary(text, at) != boundary) FAIL("boundary at " << at);
    }
    more = false;
    for (size_t i = 0; i < 5 && !more; ++i) {
      indexes[i] = (indexes[i] + 1) % sizeof(alphabet);
      more = indexes[i] != 0;
    }
  }
}

TEST_CASE("characters: case, digits, marks") {
  for (char32_t c : std::initializer_list<char32_t>{'A', 'Z', 0xC0, 0xDE, 0x100, 0x178, 0x17D, 0x386, 0x391, 0x3A9,
                                                    0x401, 0x410, 0x42F, 0x490, 0x531, 0x1E9E, 0x1EA0}) {
    CHECK((is_upper(c) && !is_lower(c)));
  }
  for (char32_t c : std::initializer_list<char32_t>{'a', 'z', 0xDF, 0xE0, 0xFF, 0x101, 0x17E, 0x3AC, 0x3C9, 0x430,
                                                    0x44F, 0x451, 0x491, 0x561, 0x1EA1}) {
    CHECK((is_lower(c) && !is_upper(c)));
  }
  for (char32_t c :
       std::initializer_list<char32_t>{'0', '_', 0xD7, 0xF7, 0x5D0, 0x627, 0x905, 0x4E00, 0xAC00, 0x1F600}) {
    CHECK((!is_lower(c) && !is_upper(c)));
  }
  for (char32_t c : std::initializer_list<char32_t>{'0', '9', 0x660, 0x669, 0x6F5, 0x966, 0x96F, 0xFF10, 0xFF19})
    CHECK(is_digit(c));
  for (char32_t c : std::initializer_list<char32_t>{'a', '/', ':', 0x66A, 0x965, 0x970, 0xB2, 0xFF1A})
    CHECK_FALSE(is_digit(c));
  for (char32_t c :
       std::initializer_list<char32_t>{0x300, 0x36F, 0x591, 0x64B, 0x93F, 0x94D, 0xE31, 0x20D0, 0xFE0F, 0xE0100})
    CHECK(is_mark(c));
  for (char32_t c : std::initializer_list<char32_t>{'a', 0xE9, 0x904, 0x964, 0x200D, 0x3042}) CHECK_FALSE(is_mark(c));
}

TEST_CASE("characters: scripts") {
  CHECK(script_of('e') == Script::kLatin);
  CHECK(script_of(0x3A9) == Script::kGreek);
  CHECK(script_of(0x416) == Script::kCyrillic);
  CHECK(script_of(0x3042) == Script::kHiragana);
  CHECK(script_of(0x30AB) == Script::kKatakana);
  CHECK(script_of(0x20000) == Script::kHan);
  CHECK(script_of(0xD55C) == Script::kHangul);
  for (char32_t c : std::initializer_list<char32_t>{' ', '1', '.', 0x37E, 0x387, 0x589, 0x60C, 0x61F, 0x6D4, 0x964,
                                                    0x1362, 0x17D4, 0x3002, 0x30FB, 0xFF01, 0x1F600}) {
    CHECK(script_of(c) == Script::kCommon);
  }
}

TEST_CASE("TX-22: blanks are the same in every locale, and no byte of a letter is one") {
  for (const char* locale : {"C", "en_US.ISO-8859-1", "C.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // where it is not installed the previous one stays
    size_t num_spaces = 0;
    for (char32_t c = 0; c <= 0x10FFFF; ++c) num_spaces += is_white_space(c) ? 1 : 0;
    CHECK(num_spaces == 25);  // property White_Space
    CHECK(is_white_space(0x85));
    CHECK(is_white_space(0xA0));
    CHECK_FALSE(is_blank(decode_one("\xC3\xA0", 0).code_point));  // a with grave: its second byte is 0xA0
    CHECK_FALSE(is_blank(decode_one("\xC3\x85", 0).code_point));  // A with ring: 0x85
    CHECK_FALSE(is_blank(decode_one("\xA0", 0).code_point));      // a stray byte
    CHECK_FALSE(is_blank(decode_one("\x85", 0).code_point));
  }
  std::setlocale(LC_ALL, "C");
  for (char32_t c : std::initializer_list<char32_t>{0x0u, 0x7u, 0xADu, 0x200Bu, 0x2060u, 0xFEFFu})
    CHECK((is_blank(c) && !is_white_space(c)));
}

}  // namespace
}  // namespace dragoman::text
