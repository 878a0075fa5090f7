// A folder of its own for a test.
// Neighbours: tests that write model folders.
#pragma once

#include <string>

namespace dragoman::test {

// An empty folder, removed with everything in it. Fails the test when it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dragoman::test
