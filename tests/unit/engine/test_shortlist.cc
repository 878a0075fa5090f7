// The rule of schema::Shortlist on small lists.
#include "engine/shortlist.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

namespace dragoman::engine {
namespace {

// Source ids 0 to 3 with the lists {}, {5, 9}, {9, 11}, {0}.
constexpr uint32_t kOffsets[] = {0, 0, 2, 4, 5};
constexpr uint32_t kIds[] = {5, 9, 9, 11, 0};

struct Fixture {
  Fixture(uint32_t always, uint32_t multiple, bool copy_source, size_t vocabulary) {
    Arena arena(block, sizeof(block));
    shortlist.carve({kOffsets, kIds, always, multiple, copy_source}, vocabulary, &arena);
  }

  std::vector<int32_t> build(const std::vector<int32_t>& source) {
    std::vector<int32_t> ids(shortlist.max_ids(source.size()));
    ids.resize(shortlist.build(source, ids));
    return ids;
  }

  alignas(kBufferAlignment) std::byte block[256];
  Shortlist shortlist;
};

using Ids = std::vector<int32_t>;

TEST_CASE("always, lists, source ids, then the lowest up to a multiple") {
  CHECK(Fixture(2, 1, false, 16).build({1, 2}) == Ids{0, 1, 5, 9, 11});
  CHECK(Fixture(2, 8, false, 16).build({1, 2}) == Ids{0, 1, 2, 3, 4, 5, 9, 11});
  CHECK(Fixture(2, 1, true, 16).build({1, 2, 3}) == Ids{0, 1, 2, 3, 5, 9, 11});
  CHECK(Fixture(0, 1, false, 16).build({0}).empty());
}

TEST_CASE("repeated and foreign source ids add nothing") {
  CHECK(Fixture(1, 1, false, 16).build({1, 1, 1, -1, 4, 100}) == Ids{0, 5, 9});
}

TEST_CASE("the set never exceeds the vocabulary") {
  CHECK(Fixture(3, 8, false, 12).build({1, 2, 3}).size() == 8);
  CHECK(Fixture(12, 8, false, 12).build({1}).size() == 12);
  CHECK(Fixture(12, 8, false, 12).shortlist.max_ids(1000) == 12);
}

TEST_CASE("without lists there is no shortlist") {
  alignas(kBufferAlignment) std::byte block[64];
  Arena arena(block, sizeof(block));
  Shortlist shortlist;
  shortlist.carve({}, 100, &arena);
  CHECK_FALSE(shortlist.present());
  CHECK(shortlist.max_ids(10) == 0);
  CHECK(arena.used() == 0);
}

}  // namespace
}  // namespace dragoman::engine
