// Zip archives as a test wants them, well-formed or not.
// Neighbours: checkpoints, .npz files and packages of made-up models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman::test {

// One entry. `announced` replaces the uncompressed size in both headers when it is not 0; zip64 puts the directory's
// sizes and offset into the extra field.
struct ZipMember {
  std::string name;
  std::vector<std::byte> bytes;
  bool deflate = false;
  bool encrypted = false;
  bool zip64 = false;
  bool wrong_checksum = false;
  uint64_t announced = 0;
};

std::vector<std::byte> zip_file(const std::vector<ZipMember>& members);

std::vector<std::byte> bytes_of_text(const std::string& text);

}  // namespace dragoman::test
