// Names for files that a test makes and removes.
// Neighbours: the parity tests of families.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace dragoman::test {

// A path where nothing lies, another one at each call.
inline std::string temporary_path() {
  static int number = 0;
  const auto folder = std::filesystem::temp_directory_path();
  return (folder / ("dragoman_family_" + std::to_string(getpid()) + "_" + std::to_string(number++))).string();
}

}  // namespace dragoman::test
