// FNV-1a with 64 bits (Fowler, Noll, Vo; RFC draft "The FNV Non-Cryptographic Hash Algorithm"): the checksums in files.
// Neighbours: verify_contents.cc compares with them; the writer makes them. Finds damage, not malice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dragoman::model {

constexpr uint64_t kFnvOffsetBasis = 0xcbf29ce484222325u;
constexpr uint64_t kFnvPrime = 0x100000001b3u;

// One multiplication a byte, about 2 ms per MB.
constexpr uint64_t fnv1a(std::span<const std::byte> bytes, uint64_t hash = kFnvOffsetBasis) {
  for (std::byte b : bytes) hash = (hash ^ static_cast<uint8_t>(b)) * kFnvPrime;
  return hash;
}

// Of a file's header and FlatBuffer, whose 8 bytes at `field`, those of this checksum itself, count as zeros.
constexpr uint64_t fnv1a_of_description(std::span<const std::byte> description, size_t field) {
  constexpr std::byte kZeros[sizeof(uint64_t)] = {};
  const uint64_t before = fnv1a(description.first(field));
  return fnv1a(description.subspan(field + sizeof(kZeros)), fnv1a(kZeros, before));
}

}  // namespace dragoman::model
