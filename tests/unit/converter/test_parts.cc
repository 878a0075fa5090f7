// Small parts: position tables, row quantizer, half floats, SHA-256, option files.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "converter/families/ctranslate2_options.h"
#include "converter/formats/sha256.h"
#include "converter/formats/yaml_options.h"
#include "converter/frontends/source.h"
#include "converter/graph/positions.h"
#include "converter/quantize/int8_rows.h"

namespace dragoman::converter {
namespace {

using Catch::Matchers::WithinAbs;

TEST_CASE("CV-01 Marian's position table: all sines first, frequency step i / (h - 1)", "[positions]") {
  const std::vector<float> table = sinusoid_table(300, 8, SinusoidStep::kClosed);
  const double expected[8] = {0.141120, 0.138798, 0.006463, 0.000300, -0.989992, 0.990321, 0.999979, 1.000000};
  for (size_t i = 0; i < 8; ++i) CHECK_THAT(table[3 * 8 + i], WithinAbs(expected[i], 1e-6));
  for (size_t i = 0; i < 8; ++i) CHECK(table[i] == (i < 4 ? 0.0f : 1.0f));
  CHECK_THAT(table[299 * 8 + 3], WithinAbs(std::sin(299 * 1e-4), 1e-7));
}

TEST_CASE("rows are quantized symmetrically with their own scale", "[int8_rows]") {
  const std::vector<float> row = {0.5f, -1.27f, 0.005f, 1.27f, -0.0149f};
  const float scale = int8_row_scale(row);
  CHECK_THAT(scale, WithinAbs(0.01, 1e-8));
  std::vector<int8_t> integers(row.size());
  quantize_int8_row(row, scale, integers);
  CHECK(integers[0] == 50);
  CHECK(integers[1] == -127);
  CHECK(integers[3] == 127);
  CHECK(integers[4] == -1);
  std::vector<float> stored(row.size());
  restore_int8_row(integers, scale, stored);
  for (size_t i = 0; i < row.size(); ++i) CHECK_THAT(stored[i], WithinAbs(row[i], 0.005 + 1e-8));
}

TEST_CASE("rows without anything in them get a usable scale", "[int8_rows]") {
  for (const float value : {0.0f, 1e-45f, 1e-38f}) {
    const std::vector<float> row(5, value);
    const float scale = int8_row_scale(row);
    CHECK(std::isnormal(scale));
    std::vector<int8_t> integers(5);
    quantize_int8_row(row, scale, integers);
    CHECK(integers == std::vector<int8_t>(5, 0));
  }
  const std::vector<float> exact = {-127.0f, 0.0f, 64.0f};
  std::vector<int8_t> integers(3);
  quantize_int8_row(exact, int8_row_scale(exact), integers);
  std::vector<float> stored(3);
  restore_int8_row(integers, 1.0f, stored);
  CHECK(stored == exact);
}

TEST_CASE("half floats widen exactly", "[source]") {
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0xc000) == -2.0f);
  CHECK(half_to_float(0x7bff) == 65504.0f);
  CHECK(half_to_float(0x0001) == std::ldexp(1.0f, -24));
  CHECK(std::signbit(half_to_float(0x8000)));
  CHECK(std::isinf(half_to_float(0x7c00)));
  CHECK(std::isnan(half_to_float(0x7e00)));
}

std::string sha256_of(const std::string& text) { return sha256_hex(std::as_bytes(std::span(text))); }

TEST_CASE("SHA-256 agrees with the examples of FIPS 180-4", "[sha256]") {
  CHECK(sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_of(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("options are scalars and lists of text", "[yaml_options]") {
  const Result<Options> options = parse_yaml_options("a: true\nb: \"\"\nc:\n  - 1\n  - x\nd: []\ne: ~\n", "o.yml");
  INFO(options.status().message());
  REQUIRE(options.ok());
  CHECK(options.value().at("a").text() == "true");
  CHECK(options.value().at("b").text().empty());
  CHECK(options.value().at("c").text() == "[1, x]");
  CHECK(options.value().at("d").text() == "[]");
  CHECK(options.value().at("e").text().empty());
}

TEST_CASE("option files that are none are refused by name", "[yaml_options]") {
  for (const std::string& text : {std::string("- a\n- b\n"), std::string("a: [1, 2\nb: }"), std::string("\tx"),
                                  std::string(100000, '['), std::string("a: *unknown\n"), std::string()}) {
    const Result<Options> options = parse_yaml_options(text, "o.yml");
    REQUIRE_FALSE(options.ok());
    CHECK(std::string(options.status().message()).find("o.yml") != std::string::npos);
  }
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "- ";
  CHECK_FALSE(parse_yaml_options(nested, "o.yml").ok());
}

TEST_CASE("a distance of CTranslate2's relative positions that is no whole number of tokens is refused", "[options]") {
  const std::string key = "encoder/layer_0/self_attention/relative_attention_max_distance";
  for (const char* value : {"-1", "0.5", "65537", "1e30"}) {
    INFO(value);
    Options options;
    options[key].items = {value};
    Problems problems;
    OptionReader reader(options, &problems);
    std::vector<std::string> notes;
    read_ctranslate2_options(reader, options, 32, &notes);
    REQUIRE(problems.items().size() == 1);
    CHECK(problems.items()[0].find(key) != std::string::npos);
  }
}

}  // namespace
}  // namespace dragoman::converter
