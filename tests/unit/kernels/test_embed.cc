// Embedding rows from int8, f32, f16 and int4 tables, with and without positions, unknown ids included.
#include "kernel_check.h"
#include "kernels/embed.h"
#include "kernels/half.h"

namespace dragoman::kernels::test {
namespace {

constexpr int32_t kIds[] = {4, -1, 0, 9, 10, 2147483647};
constexpr int32_t kPositions[] = {0, 1, -5, 2, 3, 2147483647};
constexpr size_t kTableRows = 10, kPositionRows = 3, kRows = std::size(kIds);

enum class Table { kInt8, kFloat, kHalf, kInt4 };

void check_width(size_t width, Table table, bool with_positions, bool fused) {
  const bool with_bytes = table == Table::kInt8;
  Random random(width + 2);
  Guarded<int8_t> bytes(kTableRows * width);
  Guarded<float> floats(kTableRows * width), scales(kTableRows), positions(kPositionRows * width);
  for (int8_t& b : bytes.span()) b = random.byte();
  fill(floats.span(), random, 1.0f);
  fill(positions.span(), random, 1.0f);
  for (float& s : scales.span()) s = std::fabs(random.real(0.1f));
  std::vector<uint16_t> halves(kTableRows * width), block_scales(kTableRows * (width / kInt4Block));
  std::vector<uint8_t> int4(kTableRows * (width / 2));
  for (uint16_t& s : block_scales) s = static_cast<uint16_t>(0x3D00 + random.below(256));
  for (uint8_t& e : int4) e = static_cast<uint8_t>(random.bits());
  const Int4Table int4_table = {int4.data(), block_scales.data()};
  for (size_t i = 0; i < halves.size(); ++i) {
    if (table == Table::kHalf) halves[i] = half_from_float(floats[i]), floats[i] = float_from_half(halves[i]);
    if (table == Table::kInt4) floats[i] = int4_table.row(i / width, width).value(i % width);
  }
  Guarded<float> body(kRows * width), reference(kRows * width);
  EmbedOptions o = {.rows = kRows, .width = width, .ids = kIds, .table_rows = kTableRows, .multiplier = 16.5f};
  if (with_bytes) {
    o.table_i8 = bytes.data();
    o.table_scales = scales.data();
  } else if (table == Table::kHalf) {
    o.table_f16 = halves.data();
  } else if (table == Table::kInt4) {
    o.table_i4 = int4_table;
  } else {
    o.table_f32 = floats.data();
  }
  if (with_positions) {
    o.positions = positions.data();
    o.position_ids = kPositions;
    o.position_rows = kPositionRows;
  }
  o.output = body.data();
  embed_rows(o);
  o.output = reference.data();
  reference::embed_rows(o);
  REQUIRE(body.intact());
  std::vector<Expected> expected(kRows * width);
  for (size_t r = 0; r < kRows; ++r) {
    const bool known = kIds[r] >= 0 && kIds[r] < static_cast<int32_t>(kTableRows);
    const size_t position =
        kPositions[r] < 0 ? 0 : std::min<size_t>(static_cast<size_t>(kPositions[r]), kPositionRows - 1);
    for (size_t i = 0; i < width; ++i) {
      double y = 0;
      if (known) {
        const size_t at = static_cast<size_t>(kIds[r]) * width + i;
        y = with_bytes ? bytes[at] * static_cast<double>(scales[static_cast<size_t>(kIds[r])])
                       : static_cast<double>(floats[at]);
      }
      y *= 16.5;
      const double p = with_positions ? static_cast<double>(positions[position * width + i]) : 0.0;
      expected[r * width + i] = {y + p, 3 * kUnit * (std::fabs(y) + std::fabs(p)) + 1e-38};
    }
  }
  judge(body.span(), reference.span(), expected, fused);
}

}  // namespace

void check_embed(bool fused) {
  for (size_t width : kLengths) {
    for (Table table : {Table::kInt8, Table::kFloat, Table::kHalf, Table::kInt4}) {
      if (table == Table::kInt4 && (width == 0 || width % kInt4Block != 0)) continue;
      for (bool with_positions : {false, true}) check_width(width, table, with_positions, fused);
    }
  }
}

}  // namespace dragoman::kernels::test
