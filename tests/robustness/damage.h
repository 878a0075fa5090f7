// Damages a model file in every way that the issue of robustness names, and gives each variant to a test's own action.
// Neighbours: test_damaged_files.cc loads the variants; a test of a whole translation uses the same harness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace dragoman::test {

// Loads a file and uses what was loaded. Returns whether the file was accepted. Must not throw.
using LoadAndUse = std::function<bool(std::span<const std::byte> file)>;

// Where a variant differs from the original.
struct Damage {
  const char* kind = "";
  size_t position = 0;  // byte; the new length for a truncation
  uint64_t value = 0;   // bit, or the number written there
};

struct DamageOptions {
  size_t keep_every = 1;      // 1: all variants; n: every n-th of each kind, for actions that take long
  size_t first_bytes = 4096;  // each length up to it, and each bit before it
  size_t random_lengths = 200;
  size_t random_flips = 3000;    // 1 to 8 bits anywhere
  size_t random_numbers = 3000;  // hostile 32-bit numbers anywhere in the payload
  uint64_t seed = 20240611;
};

// What all variants together did.
struct DamageReport {
  size_t variants = 0;
  size_t accepted = 0;
  double slowest_ms = 0;
  Damage slowest;
  double most_allocated = 0;  // bytes asked for by one variant, as a multiple of its size (0 when nothing is counted)
  Damage most_allocating;
};

// Runs `action` on: each length of 0 to first_bytes, all structural boundaries, random lengths (each as it is, and with
// a header that agrees with the shorter file); each bit of the first bytes flipped; hostile 32- and 64-bit numbers at
// each aligned place before the payload; random bits and numbers anywhere. `original` is a valid file. A variant is on
// a 64-byte boundary and in a block of exactly its size.
DamageReport damage_everywhere(std::span<const std::byte> original, const DamageOptions& options,
                               const LoadAndUse& action);

}  // namespace dragoman::test
