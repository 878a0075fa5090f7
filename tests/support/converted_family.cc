// Neighbours: see converted_family.h.
#include "tests/support/converted_family.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>

#include "converter/converter.h"

namespace dragoman::test {

AlignedBytes converted_family(const std::string& family) {
  converter::ConvertOptions options;
  options.input = std::string(DRAGOMAN_FAMILIES_DIR) + "/" + family;
  options.output = (std::filesystem::temp_directory_path() /
                    ("dragoman_converted_" + std::to_string(getpid()) + "_" + family + ".drg"))
                       .string();
  const Result<converter::ConvertReport> converted = converter::convert(options);
  INFO(family << ": " << converted.status().message());
  REQUIRE(converted.ok());
  std::ifstream in(options.output, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::remove(options.output.c_str());
  return AlignedBytes(std::as_bytes(std::span(bytes)));
}

std::vector<std::vector<int32_t>> random_sources(size_t count, int32_t end_id, int32_t vocabulary) {
  std::mt19937 random(29);
  std::vector<std::vector<int32_t>> sources;
  for (size_t i = 0; i < count; ++i) {
    std::vector<int32_t> ids;
    for (size_t length = 1 + random() % 14; ids.size() < length;) {
      ids.push_back(static_cast<int32_t>(3 + random() % static_cast<uint32_t>(vocabulary - 8)));
    }
    ids.push_back(end_id);
    sources.push_back(std::move(ids));
  }
  return sources;
}

}  // namespace dragoman::test
