// Embedding rows from int8 and f32 tables, with and without positions, unknown ids included.
#include "kernel_check.h"
#include "kernels/embed.h"

namespace dragoman::kernels::test {
namespace {

constexpr int32_t kIds[] = {4, -1, 0, 9, 10, 2147483647};
constexpr int32_t kPositions[] = {0, 1, -5, 2, 3, 2147483647};
constexpr size_t kTableRows = 10, kPositionRows = 3, kRows = std::size(kIds);

void check_width(size_t width, bool with_bytes, bool with_positions, bool fused) {
  Random random(width + 2);
  Guarded<int8_t> bytes(kTableRows * width);
  Guarded<float> floats(kTableRows * width), scales(kTableRows), positions(kPositionRows * width);
  for (int8_t& b : bytes.span()) b = random.byte();
  fill(floats.span(), random, 1.0f);
  fill(positions.span(), random, 1.0f);
  for (float& s : scales.span()) s = std::fabs(random.real(0.1f));
  Guarded<float> body(kRows * width), reference(kRows * width);
  EmbedOptions o = {.rows = kRows, .width = width, .ids = kIds, .table_rows = kTableRows, .multiplier = 16.5f};
  if (with_bytes) {
    o.table_i8 = bytes.data();
    o.table_scales = scales.data();
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
    for (int variant = 0; variant < 4; ++variant) check_width(width, (variant & 1) != 0, (variant & 2) != 0, fused);
  }
}

}  // namespace dragoman::kernels::test
