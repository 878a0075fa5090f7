// Ancestors: the slots of every position of every hypothesis, through exchanges of slots, against plain lists.
#include "engine/ancestors.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "tests/support/model_builder.h"

namespace dragoman::engine {
namespace {

struct Block {
  Block(size_t slots, size_t positions) {
    Arena measuring = Arena::measuring();
    ancestors.carve(slots, positions, &measuring);
    bytes = test::AlignedBytes(measuring.used());
    Arena arena(bytes.span().data(), bytes.size());
    ancestors.carve(slots, positions, &arena);
  }
  std::vector<int32_t> of(size_t slot, size_t count) const {
    const int32_t* row = ancestors.rows() + slot * ancestors.positions();
    return {row, row + count};
  }
  test::AlignedBytes bytes;
  Ancestors ancestors;
};

TEST_CASE("hypotheses exchange, split and keep their slots") {
  Block block(4, 6);
  Ancestors& a = block.ancestors;
  a.begin_step();
  a.extend(-1, 0, 0);
  a.extend(-1, 1, 0);
  a.begin_step();
  a.extend(0, 1, 1);  // slots change places
  a.extend(1, 0, 1);
  a.extend(0, 3, 1);  // and slot 0 splits
  CHECK(block.of(0, 2) == std::vector<int32_t>{1, 0});
  CHECK(block.of(1, 2) == std::vector<int32_t>{0, 1});
  CHECK(block.of(3, 2) == std::vector<int32_t>{0, 3});
  a.begin_step();
  a.extend(3, 3, 2);
  a.extend(3, 0, 2);
  CHECK(block.of(3, 3) == std::vector<int32_t>{0, 3, 3});
  CHECK(block.of(0, 3) == std::vector<int32_t>{0, 3, 0});
  a.begin_step();
  a.extend(-1, 2, 0);  // a new sentence beside them
  a.extend(0, 0, 3);
  CHECK(block.of(2, 1) == std::vector<int32_t>{2});
  CHECK(block.of(0, 4) == std::vector<int32_t>{0, 3, 0, 0});
}

TEST_CASE("positions outside the cache are not recorded") {
  Block block(2, 3);
  block.ancestors.begin_step();
  block.ancestors.extend(-1, 1, 3);
  block.ancestors.extend(-1, 0, -1);
  for (size_t slot = 0; slot < 2; ++slot) CHECK(block.of(slot, 3) == std::vector<int32_t>{0, 0, 0});
  Block none(2, 0);
  none.ancestors.begin_step();
  none.ancestors.extend(0, 1, 0);
  CHECK(none.bytes.size() == 0);
}

}  // namespace
}  // namespace dragoman::engine
