#include "tests/parity/golden/golden_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace dragoman::test {

std::span<const float> Array::at(size_t index) const {
  const size_t size = values.size() / shape[0];
  return std::span(values).subspan(index * size, size);
}

Array read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[10];
  if (!file.read(magic, sizeof(magic)) || std::memcmp(magic, "\x93NUMPY\x01", 7) != 0) {
    throw std::runtime_error(path + ": not a NumPy file of version 1");
  }
  std::string header(static_cast<unsigned char>(magic[8]) + 256u * static_cast<unsigned char>(magic[9]), ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (header.find("'<f4'") == std::string::npos || header.find("'fortran_order': False") == std::string::npos) {
    throw std::runtime_error(path + ": not f32 in C order");
  }
  Array array;
  const char* at = header.c_str() + header.find('(') + 1;
  while (*at != ')') {
    char* end = nullptr;
    array.shape.push_back(std::strtoul(at, &end, 10));
    at = end + std::strspn(end, ", ");
  }
  array.values.resize(std::accumulate(array.shape.begin(), array.shape.end(), size_t{1}, std::multiplies<>()));
  if (!file.read(reinterpret_cast<char*>(array.values.data()),
                 static_cast<std::streamsize>(array.values.size() * sizeof(float)))) {
    throw std::runtime_error(path + ": shorter than its shape says");
  }
  return array;
}

std::vector<float> flatten(const nlohmann::json& numbers) {
  if (numbers.is_number()) return {numbers.get<float>()};
  std::vector<float> flat;
  for (const nlohmann::json& entry : numbers) {
    const std::vector<float> part = flatten(entry);
    flat.insert(flat.end(), part.begin(), part.end());
  }
  return flat;
}

double relative_distance(std::span<const float> computed, std::span<const float> golden) {
  if (computed.size() != golden.size() || golden.empty()) return std::numeric_limits<double>::infinity();
  double distance = 0;
  double largest = 0;
  for (size_t i = 0; i < golden.size(); ++i) {
    if (!std::isfinite(computed[i])) return std::numeric_limits<double>::infinity();
    distance = std::max(distance, std::fabs(static_cast<double>(computed[i]) - golden[i]));
    largest = std::max(largest, std::fabs(static_cast<double>(golden[i])));
  }
  return distance / largest;
}

std::optional<GoldenFiles> find_golden(std::string* why) {
  const auto folder = [](const char* variable, const char* fallback) {
    const char* value = std::getenv(variable);
    return std::filesystem::path(value != nullptr ? value : fallback);
  };
  const std::filesystem::path golden = folder("DRAGOMAN_SHARED_DIR", DRAGOMAN_SHARED_DIR) / "golden";
  const std::filesystem::path model = folder("DRAGOMAN_MODELS_DIR", DRAGOMAN_MODELS_DIR) / "en-pt.drg";
  for (const std::filesystem::path& needed : {golden / "enpt.json", model}) {
    if (std::filesystem::exists(needed)) continue;
    *why = "not found: " + needed.string();
    return std::nullopt;
  }
  return GoldenFiles{golden.string(), model.string()};
}

}  // namespace dragoman::test
