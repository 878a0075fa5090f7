// Neighbours: see converted_family.h.
#include "tests/support/converted_family.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <random>
#include <span>

#include "converter/converter.h"
#include "tests/support/temporary_folder.h"

namespace dragoman::test {

AlignedBytes converted_model(const std::string& folder) {
  const TemporaryFolder temporary;
  converter::ConvertOptions options;
  options.input = std::string(DRAGOMAN_TEST_DATA) + "/" + folder;
  options.output = temporary.path("out.drg");
  const Result<converter::ConvertReport> converted = converter::convert(options);
  INFO(folder << ": " << converted.status().message());
  REQUIRE(converted.ok());
  std::ifstream in(options.output, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  return AlignedBytes(std::as_bytes(std::span(bytes)));
}

AlignedBytes converted_family(const std::string& family) { return converted_model("families/" + family); }

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
