// Mapping whole files and parts of files, borrowing blocks, and every message when that fails.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "model/mapped_file.h"
#include "model/model_view.h"
#include "tests/support/model_builder.h"
#include "tests/support/temporary_folder.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using model::MappedFile;
using test::TemporaryFolder;

// Writes `bytes` behind `before` others; returns the path.
std::string write(const TemporaryFolder& folder, const char* name, std::span<const std::byte> bytes,
                  size_t before = 0) {
  std::string file = folder.path(name);
  std::ofstream out(file, std::ios::binary);
  out << std::string(before, 'x');
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(out.good());
  return file;
}

TEST_CASE("a mapped file has the file's bytes on a 64-byte boundary") {
  const TemporaryFolder folder;
  const test::AlignedBytes model = test::tiny_model();
  const std::string path = write(folder, "a.drg", model.span());
  auto mapped = MappedFile::map(path.c_str());
  REQUIRE(mapped.ok());
  const auto bytes = mapped.value().bytes();
  CHECK(reinterpret_cast<uintptr_t>(bytes.data()) % 64 == 0);
  CHECK(std::equal(bytes.begin(), bytes.end(), model.span().begin(), model.span().end()));
  CHECK(model::ModelView::open(bytes).ok());

  const MappedFile moved = std::move(mapped.value());
  CHECK(mapped.value().bytes().empty());
  CHECK(moved.bytes().data() == bytes.data());
  std::filesystem::remove(path);
  CHECK(model::ModelView::open(moved.bytes()).ok());
}

TEST_CASE("errors of mapping name the path and the reason") {
  const TemporaryFolder folder;
  const auto status = [](const std::string& path) {
    auto mapped = MappedFile::map(path.c_str());
    REQUIRE_FALSE(mapped.ok());
    CHECK_THAT(mapped.status().message(), ContainsSubstring(path.substr(0, 100)));
    return mapped.status();
  };
  const std::byte some[63] = {};

  const Status missing = status(folder.path("missing.drg"));
  CHECK(missing.code() == Code::kNotFound);
  CHECK_THAT(missing.message(), ContainsSubstring("no such file"));
  const Status is_folder = status(folder.path());
  CHECK(is_folder.code() == Code::kIo);
  CHECK_THAT(is_folder.message(), ContainsSubstring("is a folder"));
  const Status empty = status(write(folder, "empty.drg", {}));
  CHECK(empty.code() == Code::kDamaged);
  CHECK_THAT(empty.message(), ContainsSubstring("empty"));
  const Status small = status(write(folder, "small.drg", some));
  CHECK(small.code() == Code::kDamaged);
  CHECK_THAT(small.message(), ContainsSubstring("too small (63 bytes)"));
  const std::string pipe = folder.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(status(pipe).message(), ContainsSubstring("not a regular file"));
  const Status long_path = status("/" + std::string(300, 'y'));
  CHECK_THAT(long_path.message(), ContainsSubstring("cannot open model ("));
  CHECK(MappedFile::map("").status().code() == Code::kInvalidArgument);
  CHECK(MappedFile::map(nullptr).status().code() == Code::kInvalidArgument);
}

TEST_CASE("a file without read permission is refused") {
  const TemporaryFolder folder;
  const std::string path = write(folder, "secret.drg", test::tiny_model().span());
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  // The superuser may read everything, so it becomes somebody else for one call.
  const bool superuser = ::geteuid() == 0;
  if (superuser && (::chmod(folder.path().c_str(), 0755) != 0 || ::seteuid(65534) != 0))
    SKIP("cannot give up privileges");
  const auto mapped = MappedFile::map(path.c_str());
  if (superuser) REQUIRE(::seteuid(0) == 0);
  CHECK(mapped.status().code() == Code::kIo);
  CHECK_THAT(mapped.status().message(), ContainsSubstring("no permission"));
}

TEST_CASE("MF-05: a model inside a larger file") {
  const TemporaryFolder folder;
  const test::AlignedBytes model = test::tiny_model();
  for (const size_t offset :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{4096}, size_t{4160}, size_t{16384}, size_t{20032}}) {
    CAPTURE(offset);
    const std::string path = write(folder, "package.zip", model.span(), offset);
    const int fd = ::open(path.c_str(), O_RDONLY);
    REQUIRE(fd >= 0);
    const auto mapped = MappedFile::map(fd, offset, model.size());
    const auto past_end = MappedFile::map(fd, offset, model.size() + 1);
    const auto overflow = MappedFile::map(fd, offset, UINT64_MAX - offset);
    const auto far = MappedFile::map(fd, UINT64_MAX - 63, 128);
    ::close(fd);
    CHECK(past_end.status().code() == Code::kInvalidArgument);
    CHECK(overflow.status().code() == Code::kInvalidArgument);
    CHECK(far.status().code() == Code::kInvalidArgument);
    if (offset % 64 != 0) {
      CHECK(mapped.status().code() == Code::kInvalidArgument);
      CHECK_THAT(mapped.status().message(), ContainsSubstring("multiple of 64"));
      continue;
    }
    REQUIRE(mapped.ok());
    const auto view = model::ModelView::open(mapped.value().bytes());
    REQUIRE(view.ok());
    for (size_t i = 0; i < view.value().num_tensors(); ++i) {
      CHECK(view.value().tensor_info(i).offset % 64 == 0);
      CHECK(reinterpret_cast<uintptr_t>(view.value().tensor(i).data) % 64 == 0);
    }
  }
  CHECK(MappedFile::map(-1, 0, 64).status().code() == Code::kIo);
}

TEST_CASE("BD-06: a model in the caller's memory") {
  const test::AlignedBytes model = test::tiny_model();
  const auto borrowed = MappedFile::borrow(model.span().data(), model.size());
  REQUIRE(borrowed.ok());
  CHECK(borrowed.value().bytes().data() == model.span().data());
  CHECK(model::ModelView::open(borrowed.value().bytes()).ok());

  test::AlignedBytes shifted(model.size() + 16);
  for (size_t odd = 1; odd <= 15; ++odd) {
    CAPTURE(odd);
    std::copy(model.span().begin(), model.span().end(), shifted.span().begin() + static_cast<ptrdiff_t>(odd));
    const auto refused = MappedFile::borrow(shifted.span().data() + odd, model.size());
    CHECK(refused.status().code() == Code::kInvalidArgument);
    CHECK_THAT(refused.status().message(), ContainsSubstring("alignment needed is 64"));
    CHECK_FALSE(model::ModelView::open(std::as_const(shifted).span().subspan(odd, model.size())).ok());
  }
  CHECK(MappedFile::borrow(nullptr, 100).status().code() == Code::kInvalidArgument);
  CHECK(MappedFile::borrow(nullptr, 0).status().code() == Code::kInvalidArgument);
  CHECK(MappedFile::borrow(model.span().data(), 0).status().code() == Code::kDamaged);
  const test::AlignedBytes shorter(model.span().first(model.size() - 1));
  const auto view = model::ModelView::open(shorter.span());
  CHECK(view.status().code() == Code::kDamaged);
  CHECK_THAT(view.status().message(), ContainsSubstring("truncated"));
}

}  // namespace
}  // namespace dragoman
