// libFuzzer's entry point; the first argument --reader=NAME chooses what is fuzzed, --write-seeds=FOLDER writes the
// valid files. Neighbours: fuzz.sh builds and runs it.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/robustness/converter/readers.h"

namespace {

const dragoman::test::Reader* chosen = nullptr;

void choose(const std::string& name) {
  for (const dragoman::test::Reader& reader : dragoman::test::readers()) {
    if (name == reader.name) chosen = &reader;
    if (name.empty()) std::puts(reader.name);
  }
  if (chosen == nullptr) std::exit(name.empty() ? 0 : 2);
}

void write_seeds(const std::string& folder) {
  int number = 0;
  for (const auto& seed : chosen->seeds()) {
    std::ofstream file(folder + "/seed" + std::to_string(number++), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  }
  std::exit(0);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::string argument = (*argv)[i];
    if (argument.starts_with("--reader=")) choose(argument.substr(9));
    if (argument.starts_with("--write-seeds=")) write_seeds(argument.substr(14));
  }
  if (chosen == nullptr) choose("");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  (void)chosen->read({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
