// Source files changed a little, by a seeded generator: each is read or refused, in little time and memory.
// AddressSanitizer looks on in CI. Neighbours: readers.h lists the readers.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <chrono>
#include <cstring>
#include <random>
#include <string>

#include "tests/robustness/converter/readers.h"
#include "tests/support/allocation_counter.h"

namespace dragoman::test {
namespace {

constexpr size_t kVariants = 20000;
constexpr double kSlowestMs = 1000;
constexpr size_t kFreeBytes = size_t{64} << 20;
constexpr size_t kDeflateFactor = 1040;  // what an honest archive may unpack to

// Numbers and pieces of text that readers stumble over.
constexpr uint64_t kHostile[] = {0,
                                 1,
                                 0x7f,
                                 0xff,
                                 0x7fff,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 uint64_t{1} << 32,
                                 uint64_t{1} << 62,
                                 uint64_t{1} << 63,
                                 UINT64_MAX};
constexpr const char* kTexts[] = {
    "{", "}", "[", "]",    "\"",  ":", ",",  "-1",       "1e30",      "18446744073709551615", "\\u0000", "null",
    "(", ")", "'", "\xff", "../", "R", "t.", "\x80\x02", "PK\x05\x06"};

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  FileBytes mutate(const FileBytes& original) {
    FileBytes file = original;
    for (size_t i = 1 + random_() % 4; i > 0; --i) change(&file);
    return file;
  }

 private:
  size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void change(FileBytes* file) {
    const size_t at = below(file->size() + 1);
    const auto place = file->begin() + static_cast<ptrdiff_t>(at);
    switch (random_() % 6) {
      case 0: file->resize(at); break;
      case 1:
        if (at < file->size()) (*file)[at] ^= static_cast<std::byte>(1u << below(8));
        break;
      case 2: {
        const uint64_t number = kHostile[below(std::size(kHostile))];
        const size_t bytes = std::min(size_t{1} << below(4), file->size() - at);
        std::memcpy(file->data() + at, &number, bytes);
        break;
      }
      case 3: {
        const std::string text = kTexts[below(std::size(kTexts))];
        const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
        file->insert(place, bytes, bytes + text.size());
        break;
      }
      case 4: {
        const FileBytes copy(place, place + static_cast<ptrdiff_t>(below(file->size() - at + 1)));
        file->insert(file->begin() + static_cast<ptrdiff_t>(below(file->size() + 1)), copy.begin(), copy.end());
        break;
      }
      default: file->erase(place, place + static_cast<ptrdiff_t>(below(file->size() - at + 1))); break;
    }
  }

  std::mt19937_64 random_;
};

// Reads one file; the bounds hold for it.
bool read_bounded(const Reader& reader, const FileBytes& file) {
  const FileBytes exact(file);  // a block of exactly its size
  reset_allocation_count();
  const auto begin = std::chrono::steady_clock::now();
  const bool accepted = reader.read(exact);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  const bool bounded = !allocation_counter_works() || allocation_bytes() <= kFreeBytes + kDeflateFactor * file.size();
  if (elapsed.count() > kSlowestMs || !bounded) {
    FAIL_CHECK(reader.name << ": " << file.size() << " bytes took " << elapsed.count() << " ms and "
                           << allocation_bytes() << " bytes of memory");
  }
  return accepted;
}

TEST_CASE("changed source files are read or refused, in little time and memory", "[mutation]") {
  const size_t index = GENERATE(range(size_t{0}, readers().size()));
  const Reader& reader = readers()[index];
  INFO(reader.name);
  Mutator mutator(index + 1);
  const std::vector<FileBytes> seeds = reader.seeds();
  for (const FileBytes& seed : seeds) {
    REQUIRE(reader.read(seed));
    for (size_t length = 0; length < seed.size(); ++length) {
      (void)read_bounded(reader, FileBytes(seed.begin(), seed.begin() + static_cast<ptrdiff_t>(length)));
    }
  }
  size_t accepted = 0;
  const auto begin = std::chrono::steady_clock::now();
  size_t variants = 0;
  // Sanitizers are slow, and a small machine slower still: at most five seconds.
  for (; variants < kVariants && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5); ++variants) {
    accepted += read_bounded(reader, mutator.mutate(seeds[variants % seeds.size()])) ? 1 : 0;
  }
  CHECK(variants >= 500);
  CHECK(accepted > 0);  // else nothing but the first check was tested
  CHECK(accepted < variants);
}

FileBytes safetensors_of(uint64_t announced, const std::string& header, size_t data_bytes) {
  FileBytes file(sizeof(announced) + header.size() + data_bytes);
  std::memcpy(file.data(), &announced, sizeof(announced));
  std::memcpy(file.data() + sizeof(announced), header.data(), header.size());
  return file;
}

TEST_CASE("CV-16: hostile safetensors headers are refused in bounded time and memory", "[mutation]") {
  const Reader* reader = nullptr;
  for (const Reader& each : readers()) {
    if (std::string(each.name) == "safetensors") reader = &each;
  }
  REQUIRE(reader != nullptr);
  const auto refused = [reader](const std::string& header, size_t data_bytes = 4) {
    INFO(header.substr(0, 100));
    CHECK_FALSE(read_bounded(*reader, safetensors_of(header.size(), header, data_bytes)));
  };
  for (const uint64_t length : {UINT64_MAX, uint64_t{1000}, uint64_t{0}, uint64_t{1} << 63, uint64_t{100'000'001}}) {
    CHECK_FALSE(read_bounded(*reader, safetensors_of(length, "{}", 0)));
  }
  const auto tensor = [](const std::string& shape, const std::string& offsets, const std::string& type = "F32") {
    return R"({"t":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  refused(tensor("[1]", "[4,0]"));
  refused(tensor("[2]", "[0,8]"));
  refused(tensor("[8589934592,2147483648]", "[0,0]"), 0);
  refused(tensor("[8589934592,2147483648]", "[0,4]"));
  refused(tensor("[3]", "[0,4]"));
  refused(tensor("[1]", "[0,4]", "F4"));
  refused(tensor("[1]", "[0]"));
  refused(tensor("[1]", "[0,2,4]"));
  refused(tensor("[-1]", "[0,4]"));
  refused(tensor("[1e30]", "[0,4]"));
  refused(tensor("[1]", "[0,1e30]"));
  refused(tensor("[1]", "[0,4]"), 5);
  refused(
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})");
  refused(
      R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})");
  refused("{\"\xff\xfe\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}");
  std::string deep = R"({"__metadata__":)";
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  refused(deep, 0);
  refused(R"({"__metadata__":)" + std::string(100000, '['), 0);
}

}  // namespace
}  // namespace dragoman::test
