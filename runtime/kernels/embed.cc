// Embedding rows on Highway. Neighbours: embed_reference.cc.
#include "kernels/embed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/embed.cc"
#include "hwy/foreach_target.h"  // compiles this file once per target
#include "hwy/highway.h"
#include "kernels/half_inl.h"
#include "kernels/int4_inl.h"
#include "kernels/lanes_inl.h"
#include "kernels/target_inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::HWY_NAMESPACE {

DRAGOMAN_DEFINE_TARGET()

HWY_INLINE VF32 load_floats(const float* from, size_t count) {
  return count >= kVectorLanes ? hn::LoadU(F32(), from) : hn::LoadN(F32(), from, count);
}

HWY_INLINE VF32 load_floats(const int8_t* from, size_t count) {
  const hn::Rebind<int8_t, F32> d8;
  const auto bytes = count >= kVectorLanes ? hn::LoadU(d8, from) : hn::LoadN(d8, from, count);
  return hn::ConvertTo(F32(), hn::PromoteTo(I32(), bytes));
}

HWY_INLINE VF32 load_floats(const uint16_t* from, size_t count) {
  return floats_from_halves(count >= kVectorLanes ? hn::LoadU(HalfBits(), from) : hn::LoadN(HalfBits(), from, count));
}

// output = row * factor (+ position), for int4.
HWY_INLINE void embed_int4_row(const Int4Row& row, float factor, const float* position, size_t width, float* output) {
  const Lanes scale = set_lanes(factor);
  for (size_t i = 0; i < width; i += kVirtualLanes) {
    const Lanes x = Int4Loader{row}(i, kVirtualLanes);
    const Lanes y = position != nullptr ? multiply_add(x, scale, load_lanes(position + i)) : multiply(x, scale);
    HWY_UNROLL(16)
    for (size_t p = 0; p < kParts; ++p) hn::StoreU(y.part[p], F32(), output + i + p * kVectorLanes);
  }
}

// output = row * factor (+ position); `row` null: zeros.
template <class Element>
HWY_INLINE void embed_row(const Element* row, float factor, const float* position, size_t width, float* output) {
  const F32 d;
  const auto scale = hn::Set(d, factor);
  for (size_t i = 0; i < width; i += kVectorLanes) {
    const size_t n = width - i;
    auto y = row != nullptr ? load_floats(row + i, n) : hn::Zero(d);
    y = position != nullptr ? hn::MulAdd(y, scale, load_floats(position + i, n)) : hn::Mul(y, scale);
    if (n >= kVectorLanes) {
      hn::StoreU(y, d, output + i);
    } else {
      hn::StoreN(y, d, output + i, n);
    }
  }
}

template <class Element>
HWY_INLINE void embed_all(const EmbedOptions& o, const Element* table) {
  const size_t stride = o.output_stride != 0 ? o.output_stride : o.width;
  for (size_t r = 0; r < o.rows; ++r) {
    const bool known = o.ids[r] >= 0 && static_cast<size_t>(o.ids[r]) < o.table_rows;
    const size_t id = known ? static_cast<size_t>(o.ids[r]) : 0;
    const float factor = known && o.table_i8 != nullptr ? o.table_scales[id] * o.multiplier : o.multiplier;
    const float* position =
        o.positions != nullptr && o.position_rows != 0 ? o.positions + position_row(o, r) * o.width : nullptr;
    float* output = o.output + r * stride;
    if (known && o.table_i4.elements != nullptr) {
      embed_int4_row(o.table_i4.row(id, o.width), factor, position, o.width, output);
    } else {
      embed_row(known ? table + id * o.width : nullptr, factor, position, o.width, output);
    }
  }
}

void embed_rows_body(const EmbedOptions& options) {
  if (options.table_i8 != nullptr) {
    embed_all(options, options.table_i8);
  } else if (options.table_f16 != nullptr) {
    embed_all(options, options.table_f16);
  } else {
    embed_all(options, options.table_f32);
  }
}

}  // namespace dragoman::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels {

DRAGOMAN_EXPORT_TARGET(embed)
HWY_EXPORT(embed_rows_body);

void embed_rows(const EmbedOptions& options) { HWY_DYNAMIC_DISPATCH(embed_rows_body)(options); }

}  // namespace dragoman::kernels
#endif  // HWY_ONCE
