// Files beyond 2 and 4 GiB, sparse on disk: 64-bit offsets all the way.
// Neighbours: model_builder writes them, MappedFile and ModelView read them.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "model/mapped_file.h"
#include "model/model_view.h"
#include "tests/support/model_builder.h"

namespace dragoman {
namespace {

using schema::TensorType;

struct SparseFile {
  SparseFile() {
    std::string name = (std::filesystem::temp_directory_path() / "dragoman_large_XXXXXX").string();
    fd = ::mkstemp(name.data());
    path = name;
  }
  ~SparseFile() {
    if (fd >= 0) ::close(fd);
    std::filesystem::remove(path);
  }
  int fd = -1;
  std::filesystem::path path;
};

void put(int fd, uint64_t offset, uint8_t byte) { REQUIRE(::pwrite(fd, &byte, 1, static_cast<off_t>(offset)) == 1); }

// A model with a hole of `bytes` bytes before the tensor "behind", and marks at both ends of the hole.
void check_large(uint64_t bytes) {
  if (sizeof(void*) < 8) SKIP("this machine cannot map such a file");
  SparseFile file;
  REQUIRE(file.fd >= 0);
  test::ModelBuilder b = test::tiny_model_builder();
  const uint32_t hole = b.add_hole("hole", TensorType::I8, {bytes / 1024, 1024}, bytes);
  const uint32_t behind = b.add("behind", TensorType::F32, {4}, std::vector<float>{1.0f, 2.0f, 3.0f, 4.0f});
  if (!b.write(file.fd)) SKIP("the file system of " << file.path << " holds no sparse file of " << bytes << " bytes");
  const uint64_t offset = b.model.tensors[hole]->offset;
  put(file.fd, offset, 0x11);
  put(file.fd, offset + bytes - 1, 0x22);

  const auto mapped = model::MappedFile::map(file.path.c_str());
  REQUIRE(mapped.ok());
  CHECK(mapped.value().bytes().size() > bytes);
  const auto view = model::ModelView::open(mapped.value().bytes());
  REQUIRE(view.ok());
  const TensorView big = view.value().tensor(hole), last = view.value().tensor(behind);
  CHECK(big.rows == bytes / 1024);
  CHECK(big.i8()[0] == 0x11);
  CHECK(big.i8()[big.size() - 1] == 0x22);
  CHECK(view.value().tensor_info(behind).offset >= bytes);
  CHECK(last.f32()[0] == 1.0f);
  CHECK(last.f32()[3] == 4.0f);

  // Verification is not skipped for its size: one byte off the end of the file is noticed.
  REQUIRE(::ftruncate(file.fd, static_cast<off_t>(mapped.value().bytes().size() - 1)) == 0);
  const auto shorter = model::MappedFile::map(file.path.c_str());
  REQUIRE(shorter.ok());
  CHECK_FALSE(model::ModelView::open(shorter.value().bytes()).ok());
}

TEST_CASE("MF-03: a tensor beyond 2 GiB", "[long]") { check_large(uint64_t{1} << 31); }
TEST_CASE("MF-03: a tensor of 2.2 GB", "[long]") { check_large(uint64_t{2148437500} / 1024 * 1024); }
TEST_CASE("MF-03: a tensor beyond 4 GiB", "[long]") { check_large(uint64_t{1} << 32); }

TEST_CASE("MF-03: a damaged directory of a file beyond 4 GiB is still refused", "[long]") {
  if (sizeof(void*) < 8) SKIP("this machine cannot map such a file");
  SparseFile file;
  REQUIRE(file.fd >= 0);
  test::ModelBuilder b = test::tiny_model_builder();
  // The size of a 32-bit product: 2^32 + 64 elements would look like 64.
  b.add_hole("hole", TensorType::I8, {(uint64_t{1} << 32) + 64}, uint64_t{1} << 32);
  if (!b.write(file.fd)) SKIP("the file system of " << file.path << " holds no such sparse file");
  const auto mapped = model::MappedFile::map(file.path.c_str());
  REQUIRE(mapped.ok());
  CHECK(model::ModelView::open(mapped.value().bytes()).status().code() == Code::kDamaged);
}

}  // namespace
}  // namespace dragoman
