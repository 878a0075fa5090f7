// Element access and look-up of the neutral source.
// Neighbours: source.h.
#include "converter/frontends/source.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace dragoman::converter {
namespace {

template <typename T>
T load(const SourceTensor& tensor, uint64_t index) {
  T value;
  std::memcpy(&value, tensor.data.data() + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

uint64_t SourceTensor::size() const {
  uint64_t product = 1;
  for (const uint64_t dimension : shape) product *= dimension;
  return product;
}

std::string SourceTensor::shape_text() const {
  std::string text = "[";
  for (const uint64_t dimension : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
  return text + "]";
}

const SourceTensor* Source::find(const std::string& name) const {
  const auto at =
      std::lower_bound(tensors.begin(), tensors.end(), name,
                       [](const SourceTensor& tensor, const std::string& key) { return tensor.name < key; });
  return at != tensors.end() && at->name == name ? &*at : nullptr;
}

bool same_tensor(const SourceTensor& a, const SourceTensor& b) {
  const bool alike = a.shape == b.shape && a.type == b.type && a.transposed == b.transposed && a.scale == b.scale &&
                     a.row_scales == b.row_scales && a.data.size() == b.data.size();
  if (!alike || a.data.data() == b.data.data()) return alike;
  return std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0;
}

float source_element(const SourceTensor& tensor, uint64_t index) {
  switch (tensor.type) {
    case SourceType::kF32: return load<float>(tensor, index);
    case SourceType::kF16: return half_to_float(load<uint16_t>(tensor, index));
    case SourceType::kBF16: return std::bit_cast<float>(static_cast<uint32_t>(load<uint16_t>(tensor, index)) << 16);
    case SourceType::kF64: return static_cast<float>(load<double>(tensor, index));
    case SourceType::kI8: return load<int8_t>(tensor, index);
    case SourceType::kI16: return load<int16_t>(tensor, index);
    case SourceType::kOther: return 0;
  }
  return 0;
}

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t fraction = half & 0x3ff;
  if (exponent == 0) {  // zero and subnormals: fraction * 2^-24, exact in f32
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  const uint32_t wide = exponent == 31 ? 0xffu : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

}  // namespace dragoman::converter
