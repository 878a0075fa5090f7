// FNV-1a with 64 bits (Fowler, Noll, Vo; RFC draft "The FNV Non-Cryptographic Hash Algorithm"): a tensor's checksum.
// Neighbours: verify_contents.cc compares with it; files carry it per tensor. Finds damage, not malice.
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

}  // namespace dragoman::model
