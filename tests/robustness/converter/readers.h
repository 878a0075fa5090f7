// Every reader of untrusted source files as a function over bytes, with small valid files to start from.
// Neighbours: test_mutated_files.cc changes the files a little, fuzz_readers.cc lets libFuzzer do it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dragoman::test {

using FileBytes = std::vector<std::byte>;

struct Reader {
  const char* name;
  // Reads the bytes and looks at everything that was read. Returns whether they were accepted. Must never crash.
  bool (*read)(std::span<const std::byte> file);
  std::vector<FileBytes> (*seeds)();
};

std::span<const Reader> readers();

}  // namespace dragoman::test
