// Marian's binary weight container, version 1: a directory of named arrays and their bytes.
// Neighbours: MappedFile gives the bytes, frontends/marian turns the items into tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// Element codes that Marian writes: a class in the high byte, the element size in the low one.
enum class MarianType : uint64_t {
  kInt8 = 0x0101,
  kInt16 = 0x0102,
  kInt32 = 0x0104,
  kFloat16 = 0x0402,
  kFloat32 = 0x0404,
  kIntgemm8 = 0x4101,   // int8 elements, then one f32 quantization multiplier
  kIntgemm16 = 0x4102,  // int16 elements, then one f32 quantization multiplier
};

// One array as stored. `data` holds at least the elements (and, for intgemm, the multiplier behind them).
struct MarianItem {
  std::string name;
  MarianType type = MarianType::kFloat32;
  std::vector<uint64_t> shape;  // every dimension positive; the product fits the data
  uint64_t elements = 0;
  std::span<const std::byte> data;  // unaligned
  float multiplier = 0;             // intgemm only: value = element / multiplier; finite and positive
};

// Reads the directory of `bytes`, which the items then point into. `path` only names the file in messages. Every count,
// size and code is checked against the bytes that are there: a damaged container is an error naming the item.
Result<std::vector<MarianItem>> read_marian_bin(std::span<const std::byte> bytes, const std::string& path);

}  // namespace dragoman::converter
