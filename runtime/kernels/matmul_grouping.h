// How many rows XNNPACK's int8 kernels take at once on this processor, and what that means for the rows left over.
// Neighbours: kernels/matmul divides its rows by it. It concerns speed alone: results are the same however rows are cut
// up.
#pragma once

#include <cstddef>

namespace dragoman::kernels {

// A kernel for `group` rows costs the same however few it is given. When no more than `most_single` rows are left over,
// running them one by one through the one-row kernel is cheaper.
struct RowGrouping {
  size_t group;
  size_t most_single;
};

RowGrouping row_grouping_of_this_processor();

// Of `rows`, how many to run as groups; the rest one by one.
constexpr size_t grouped_rows(size_t rows, RowGrouping grouping) {
  const size_t left = rows % grouping.group;
  return left <= grouping.most_single ? rows - left : rows;
}

}  // namespace dragoman::kernels
