// Zip archives, NumPy files, pickles and PyTorch checkpoints, well-formed and not.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "converter/formats/npy.h"
#include "converter/formats/pickle.h"
#include "converter/formats/stored_array.h"
#include "converter/formats/torch_checkpoint.h"
#include "converter/formats/zip_archive.h"
#include "tests/support/make_marian_model.h"

namespace dragoman::converter {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string npy(const std::string& header, const std::string& data) {
  std::string file = std::string("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

TEST_CASE("NumPy arrays of both orders are read", "[npy]") {
  const std::string data(24, 'x');
  const std::string file = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", data);
  const auto array = read_npy(bytes_of(file), "a");
  INFO(array.status().message());
  REQUIRE(array.ok());
  CHECK(array.value().shape == std::vector<uint64_t>{2, 3});
  CHECK(array.value().strides.empty());
  const std::string columns = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", data);
  CHECK(read_npy(bytes_of(columns), "a").value().strides == std::vector<uint64_t>{1, 2});
  const std::string list = npy("{'descr': '|i1', 'fortran_order': False, 'shape': (5,), }", "hello");
  CHECK(read_npy(bytes_of(list), "a").value().type == ArrayType::kI8);
}

TEST_CASE("NumPy files of other content are refused", "[npy]") {
  const auto refused = [](const std::string& header, const std::string& data) {
    const std::string file = npy(header, data);
    return !read_npy(bytes_of(file), "a").ok();
  };
  CHECK(refused("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"));
  CHECK(refused("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234"));
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"));
  CHECK(refused("{'descr': '<f4', 'shape': (1,), }", "1234"));
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } + exit()", "1234"));
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }", ""));
  CHECK(!read_npy(bytes_of("short"), "a").ok());
}

TEST_CASE("a checkpoint cut or damaged anywhere is refused or read, never worse", "[torch]") {
  for (const char* name : {"pytorch_model.bin", "pytorch_model_legacy.bin"}) {
    INFO(name);
    const std::vector<std::byte> file = test::read_bytes(std::string(DRAGOMAN_FAMILIES_DIR) + "/marian/" + name);
    const auto whole = read_torch_checkpoint(file, name);
    INFO(whole.status().message());
    REQUIRE(whole.ok());
    CHECK(whole.value().size() > 80);
    for (size_t length = 0; length < file.size(); length += length < 600 ? 7 : 9973) {
      CHECK(!read_torch_checkpoint(std::span(file).first(length), name).ok());
    }
    std::vector<std::byte> damaged = file;
    for (size_t at = 0; at < 20000; at += 13) {
      damaged[at] ^= std::byte{0x41};
      const auto result = read_torch_checkpoint(damaged, name);
      if (result.ok()) CHECK(result.value().size() <= whole.value().size());
      damaged[at] = file[at];
    }
  }
}

TEST_CASE("a pickle that names anything but tensors is refused by that name, and nothing runs", "[pickle]") {
  constexpr const char* kAllowed[] = {"collections OrderedDict"};
  using namespace std::string_literals;
  const std::string attack = "\x80\x02"s + "cposix\nsystem\n(X\x04\0\0\0truetR."s;
  const std::string text = "\x80\x02"s + "cposix\nsystem\nX\x04\0\0\0true\x85R."s;
  const auto result = read_pickle(bytes_of(text), kAllowed);
  REQUIRE(!result.ok());
  CHECK(std::string(result.status().message()).find("'posix system'") != std::string::npos);
  CHECK(!read_pickle(bytes_of(attack), kAllowed).ok());
  const std::string stacked = "\x80\x04\x8c\x02os\x8c\x06system\x93."s;
  const auto named = read_pickle(bytes_of(stacked), kAllowed);
  REQUIRE(!named.ok());
  CHECK(std::string(named.status().message()).find("'os system'") != std::string::npos);
}

TEST_CASE("pickles without sense are refused in time and memory that follow their size", "[pickle]") {
  const auto refused = [](const std::string& text) { return !read_pickle(bytes_of(text), {}).ok(); };
  CHECK(refused(""));
  CHECK(refused("."));
  CHECK(refused("t."));
  CHECK(refused("h\x05."));
  CHECK(refused("}K\x01s."));
  CHECK(refused("X\xff\xff\xff\xff"));
  CHECK(refused(std::string(100000, '(') + "."));
  // A tuple of a tuple of …: deep, but flat in memory.
  const auto deep = read_pickle(bytes_of("N" + std::string(200000, '\x85') + "."), {});
  REQUIRE(deep.ok());
  CHECK(deep.value().values.size() == 200001);
}

TEST_CASE("strides are followed, and what they reach is checked", "[torch]") {
  CHECK(within_storage({2, 3}, {1, 2}, 0, 6));
  CHECK(!within_storage({2, 3}, {1, 2}, 1, 6));
  CHECK(!within_storage({2, UINT64_MAX}, {1, UINT64_MAX}, 0, 6));
  StoredArray array;
  array.shape = {2, 3};
  array.strides = {3, 1};
  CHECK(array.contiguous());
  array.strides = {1, 2};
  CHECK(!array.contiguous());
}

TEST_CASE("bytes that are no zip archive are refused", "[zip]") {
  CHECK(!ZipArchive::open(bytes_of(""), "z").ok());
  CHECK(!ZipArchive::open(bytes_of(std::string(100, 'x')), "z").ok());
  const std::string empty(
      "PK\x05\x06"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
      22);
  CHECK(ZipArchive::open(bytes_of(empty), "z").value().entries().empty());
}

}  // namespace
}  // namespace dragoman::converter
