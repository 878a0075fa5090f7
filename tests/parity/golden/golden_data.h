// The recorded values of the English -> Portuguese student, and how far computed values may be from them.
// Neighbours: test_golden compares; the recording is described in shared/formats/marian.md, section 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dragoman::test {

// An array of f32 in row-major order.
struct Array {
  std::vector<size_t> shape;
  std::vector<float> values;

  // The sub-array at `index` of the first dimension.
  std::span<const float> at(size_t index) const;
  std::span<const float> all() const { return values; }
};

// Reads a NumPy file, version 1.0, little-endian f32, C order. Throws std::runtime_error naming the file.
Array read_npy(const std::string& path);

// A list (of lists) of numbers, flattened.
std::vector<float> flatten(const nlohmann::json& numbers);

// max |a - b| / max |b|: the distance of `computed` from `golden`. Infinite when sizes differ or a value is not finite.
double relative_distance(std::span<const float> computed, std::span<const float> golden);

// The folder with the recording, and the converted model; nullopt (with `why`) where either is absent.
struct GoldenFiles {
  std::string folder;  // ends in "golden"
  std::string model;   // en-pt.drg
};
std::optional<GoldenFiles> find_golden(std::string* why);

}  // namespace dragoman::test
