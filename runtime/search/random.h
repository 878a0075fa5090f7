// Random numbers without a state: a number is a function of what it is drawn for.
// Neighbours: sampler.cc draws with them.
#pragma once

#include <cstdint>

namespace dragoman::search {

// What a number is drawn for.
struct Draw {
  uint64_t seed = 0;
  uint64_t key = 0;  // of the sentence
  uint64_t hypothesis = 0;
  uint64_t position = 0;
};

// The output function of SplitMix64 (Steele, Lea and Flood 2014): a bijection that changes half of the bits for every
// bit of its argument.
constexpr uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Uniform in [0, 1), a multiple of 2^-53.
constexpr double uniform(const Draw& draw) {
  const uint64_t place = (draw.hypothesis << 32) ^ draw.position;
  const uint64_t bits = scramble(scramble(scramble(draw.seed) ^ draw.key) ^ place);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace dragoman::search
