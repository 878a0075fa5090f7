// The weight container: what it holds, and every way in which a file can lie about it.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <string>

#include "converter/formats/marian_bin.h"
#include "tests/support/make_marian_model.h"

namespace dragoman {
namespace {

using converter::MarianItem;
using converter::MarianType;
using converter::read_marian_bin;
using test::MarianRawItem;
using Bytes = std::vector<std::byte>;

MarianRawItem float_item(const std::string& name, int32_t rows, int32_t columns) {
  return {name, 0x404, {rows, columns}, Bytes(static_cast<size_t>(rows * columns) * 4)};
}

Bytes two_items() { return test::marian_container({float_item("first", 2, 3), float_item("second", 1, 4)}); }

void put(Bytes& bytes, size_t at, uint64_t value) { std::memcpy(bytes.data() + at, &value, sizeof(value)); }

// The whole message, or "" when the file was read.
std::string refusal(const Bytes& bytes) {
  const Result<std::vector<MarianItem>> items = read_marian_bin(bytes, "m.bin");
  return items.ok() ? "" : items.status().message();
}

bool mentions(const std::string& message, const char* part) { return message.find(part) != std::string::npos; }

TEST_CASE("a container gives its items", "[marian_bin]") {
  test::MarianModelOptions options;
  const test::MarianModel model = test::make_marian_model(options);
  const Bytes bytes = test::marian_container(test::marian_items(model));
  const Result<std::vector<MarianItem>> items = read_marian_bin(bytes, "m.bin");
  INFO(items.status().message());
  REQUIRE(items.ok());
  REQUIRE(items.value().size() == model.parameters.size() + 1);
  for (const MarianItem& item : items.value()) {
    if (item.name == "special:model.yml") continue;
    const test::MarianParameter& parameter = model.find(item.name);
    CHECK(item.shape == std::vector<uint64_t>{parameter.rows, parameter.columns});
    CHECK((item.type == MarianType::kIntgemm8) == (parameter.stored == test::MarianWeights::kInt8));
    CHECK(item.multiplier == parameter.multiplier);
  }
}

TEST_CASE("an empty container has no items", "[marian_bin]") {
  const Result<std::vector<MarianItem>> items = read_marian_bin(test::marian_container({}), "m.bin");
  REQUIRE(items.ok());
  CHECK(items.value().empty());
}

TEST_CASE("a container cut anywhere is refused", "[marian_bin]") {
  const Bytes whole = two_items();
  REQUIRE(refusal(whole).empty());
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy of its own, so that a read past the end is seen.
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    INFO(size);
    CHECK(mentions(refusal(cut), "m.bin"));
  }
}

TEST_CASE("hostile numbers in the directory are refused by name", "[marian_bin]") {
  const Bytes good = two_items();
  const auto with = [&](size_t at, uint64_t value) {
    Bytes bytes = good;
    put(bytes, at, value);
    return refusal(bytes);
  };
  constexpr size_t kFirst = 16, kSecond = 48, kNames = 80;
  CHECK(mentions(with(0, 2), "version 1"));
  CHECK(mentions(with(8, UINT64_MAX), "items announced"));
  CHECK(mentions(with(8, uint64_t{1} << 59), "items announced"));  // count * 32 wraps to 0
  CHECK(mentions(with(kFirst, 0), "item 0"));
  CHECK(mentions(with(kFirst, UINT64_MAX), "item 0"));
  CHECK(mentions(with(kFirst, 4096), "item 0"));
  CHECK(mentions(with(kFirst + 8, 0x802), "packed for one processor"));
  CHECK(mentions(with(kFirst + 8, 0x777), "'first': element type 0x777"));
  CHECK(mentions(with(kFirst + 16, 0), "dimensions"));
  CHECK(mentions(with(kSecond + 16, UINT64_MAX), "item 1"));
  CHECK(mentions(with(kFirst + 24, UINT64_MAX), "'first'"));
  CHECK(mentions(with(kFirst + 24, 8), "'first': 8 bytes stored, its shape needs 24"));
  CHECK(mentions(with(kSecond + 24, 1 << 20), "'second'"));
  CHECK(mentions(with(kNames, 0x0041410041414100), "name"));  // a NUL inside the name
  const size_t shapes = kNames + 6 + 7;
  CHECK(mentions(with(shapes, 0), "'first': dimension 0 is 0"));
  CHECK(mentions(with(shapes, 0x7fffffff7fffffff), "'first'"));
  CHECK(mentions(with(shapes, 0x00000003ffffffff), "'first': dimension 0 is -1"));
  CHECK(mentions(with(shapes + 16, UINT64_MAX), "padding"));
}

TEST_CASE("bytes after the last item, and names that repeat, are refused", "[marian_bin]") {
  Bytes longer = two_items();
  longer.resize(longer.size() + 5);
  CHECK(mentions(refusal(longer), "5 bytes after the last item"));
  CHECK(mentions(refusal(test::marian_container({float_item("a", 1, 1), float_item("a", 1, 1)})),
                 "'a' stands there twice"));
}

TEST_CASE("a quantization multiplier has to be a positive number", "[marian_bin]") {
  for (const float multiplier : {0.0f, -1.0f, 1e-45f, INFINITY, NAN, 3e38f}) {
    MarianRawItem item{"x_W", 0x4101, {2, 2}, Bytes(256)};
    std::memcpy(item.data.data() + 4, &multiplier, sizeof(multiplier));
    INFO(multiplier);
    CHECK(mentions(refusal(test::marian_container({item})), "'x_W': quantization multiplier"));
  }
}

TEST_CASE("flipping any bit of the directory is survived", "[marian_bin]") {
  const Bytes good = two_items();
  for (size_t bit = 0; bit < 256 * 8; ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const Result<std::vector<MarianItem>> items = read_marian_bin(bytes, "m.bin");
    if (!items.ok()) continue;
    for (const MarianItem& item : items.value()) CHECK(item.data.size() <= bytes.size());
  }
}

}  // namespace
}  // namespace dragoman
