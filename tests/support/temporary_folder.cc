#include "tests/support/temporary_folder.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>

namespace dragoman::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "dragoman-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dragoman::test
