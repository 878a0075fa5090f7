// The binary shortlist: contents, checksum, damage.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>

#include "converter/formats/marian_shortlist.h"
#include "tests/support/make_marian_model.h"

namespace dragoman {
namespace {

using converter::marian_shortlist_checksum;
using converter::MarianShortlist;
using converter::read_marian_shortlist;
using Bytes = std::vector<std::byte>;

std::string refusal(const Bytes& bytes) {
  const Result<MarianShortlist> list = read_marian_shortlist(bytes, "lex.bin");
  return list.ok() ? "" : list.status().message();
}

bool mentions(const std::string& message, const char* part) { return message.find(part) != std::string::npos; }

// Writes a number and makes the checksum right again.
Bytes with(Bytes bytes, size_t at, uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
  const uint64_t checksum = marian_shortlist_checksum(std::span(bytes).subspan(16));
  std::memcpy(bytes.data() + 8, &checksum, sizeof(checksum));
  return bytes;
}

TEST_CASE("a shortlist gives its lists", "[marian_shortlist]") {
  const Result<MarianShortlist> list = read_marian_shortlist(test::make_marian_shortlist(10, 50, 7, 5), "lex.bin");
  INFO(list.status().message());
  REQUIRE(list.ok());
  CHECK(list.value().first == 7);
  CHECK(list.value().best == 5);
  REQUIRE(list.value().offsets.size() == 11);
  CHECK(list.value().offsets[1] == 0);  // source id 0 has no list
  CHECK(list.value().ids[0] == 7);      // source id 1: (1 * 7) % 50
  for (size_t s = 0; s < 10; ++s) {
    for (size_t i = list.value().offsets[s] + 1; i < list.value().offsets[s + 1]; ++i) {
      CHECK(list.value().ids[i - 1] < list.value().ids[i]);
    }
  }
}

TEST_CASE("a shortlist cut anywhere is refused", "[marian_shortlist]") {
  const Bytes whole = test::make_marian_shortlist(10, 50, 7, 5);
  REQUIRE(refusal(whole).empty());
  for (size_t size = 0; size < whole.size(); ++size) {
    CHECK(mentions(refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "lex.bin"));
  }
}

TEST_CASE("a wrong checksum is refused", "[marian_shortlist]") {
  Bytes bytes = test::make_marian_shortlist(10, 50, 7, 5);
  bytes[60] ^= std::byte{1};
  CHECK(mentions(refusal(bytes), "checksum"));
}

TEST_CASE("hostile numbers with a right checksum are refused", "[marian_shortlist]") {
  const Bytes good = test::make_marian_shortlist(10, 50, 7, 5);
  CHECK(mentions(refusal(with(good, 0, 1)), "not a binary shortlist"));
  CHECK(mentions(refusal(with(good, 16, UINT64_MAX)), "first"));
  CHECK(mentions(refusal(with(good, 32, UINT64_MAX)), "offsets"));
  CHECK(mentions(refusal(with(good, 32, uint64_t{1} << 61)), "offsets"));  // times 8 wraps to 0
  CHECK(mentions(refusal(with(good, 40, uint64_t{1} << 62)), "ids"));      // times 4 wraps to 0
  CHECK(mentions(refusal(with(good, 48, 1)), "offset 0"));
  CHECK(mentions(refusal(with(good, 48 + 24, UINT64_MAX)), "offset 3"));
  CHECK(mentions(refusal(with(good, 48 + 80, 2)), "offset 10"));  // falls
}

TEST_CASE("unsorted lists are put in order and repeats removed", "[marian_shortlist]") {
  Bytes bytes = test::make_marian_shortlist(3, 50, 7, 5);  // lists: none, {7}, {14, 27}
  const size_t ids = 48 + 4 * 8;
  const uint32_t swapped[3] = {7, 27, 14};
  uint64_t words[2] = {};
  std::memcpy(words, swapped, sizeof(swapped));
  std::memcpy(bytes.data() + ids, swapped, sizeof(swapped));
  const Result<MarianShortlist> list = read_marian_shortlist(with(bytes, ids, words[0]), "lex.bin");
  INFO(list.status().message());
  REQUIRE(list.ok());
  CHECK(list.value().ids == std::vector<uint32_t>{7, 14, 27});
  const uint32_t repeated[3] = {7, 14, 14};
  std::memcpy(words, repeated, sizeof(repeated));
  std::memcpy(bytes.data() + ids, repeated, sizeof(repeated));
  const Result<MarianShortlist> shorter = read_marian_shortlist(with(bytes, ids, words[0]), "lex.bin");
  REQUIRE(shorter.ok());
  CHECK(shorter.value().ids == std::vector<uint32_t>{7, 14});
  CHECK(shorter.value().offsets == std::vector<uint32_t>{0, 0, 1, 2});
}

}  // namespace
}  // namespace dragoman
