// The safetensors reader: what it accepts, and every hostile header of case CV-16.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "converter/formats/safetensors.h"

namespace dragoman::converter {
namespace {

std::vector<std::byte> file_of(const std::string& header, size_t data_bytes, uint64_t announced = 0) {
  const uint64_t length = announced != 0 ? announced : header.size();
  std::vector<std::byte> file(8 + header.size() + data_bytes);
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, header.data(), header.size());
  for (size_t i = 0; i < data_bytes; ++i) file[8 + header.size() + i] = static_cast<std::byte>(i);
  return file;
}

std::string refusal(const std::vector<std::byte>& file) {
  const auto arrays = read_safetensors(file, "model.safetensors");
  INFO("accepted");
  REQUIRE(!arrays.ok());
  return arrays.status().message();
}

std::string refusal(const std::string& header, size_t data_bytes) { return refusal(file_of(header, data_bytes)); }

bool names(const std::string& message, const char* part) { return message.find(part) != std::string::npos; }

TEST_CASE("safetensors: tensors in any order, with metadata and padding of the header", "[safetensors]") {
  const auto file = file_of(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},)"
                            R"("a":{"data_offsets":[0,8],"shape":[1,2],"dtype":"F32"},)"
                            R"("s":{"dtype":"BF16","shape":[],"data_offsets":[12,14]}}   )",
                            14);
  const auto arrays = read_safetensors(file, "f");
  INFO(arrays.status().message());
  REQUIRE(arrays.ok());
  REQUIRE(arrays.value().size() == 3);
  CHECK(arrays.value()[0].name == "a");
  CHECK(arrays.value()[0].shape == std::vector<uint64_t>{1, 2});
  CHECK(arrays.value()[1].type == ArrayType::kF16);
  CHECK(arrays.value()[1].data.size() == 4);
  CHECK(std::to_integer<int>(arrays.value()[1].data[0]) == 8);
  CHECK(arrays.value()[2].shape.empty());
}

TEST_CASE("CV-16 header lengths that cannot be are refused", "[safetensors]") {
  CHECK(names(refusal(file_of("{}", 0, UINT64_MAX)), "header length"));
  CHECK(names(refusal(file_of("{}", 0, 1000)), "header length"));
  CHECK(names(refusal(std::vector<std::byte>(8)), "header length"));
  CHECK(names(refusal(std::vector<std::byte>(7)), "only 7 bytes"));
}

TEST_CASE("CV-16 offsets that do not fit tensor, shape or file are refused", "[safetensors]") {
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4), "'t'"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4), "data_offsets"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4), "need 8"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[4]}})", 4), "1 numbers"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", 4), "too many numbers"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4), "negative"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,1e30]}})", 4), "not whole"));
  const char* overlap = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                        R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
  CHECK(names(refusal(overlap, 8), "overlap"));
  const char* gap = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                    R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
  CHECK(names(refusal(gap, 12), "gap"));
  CHECK(names(refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 6), "belong to none"));
}

TEST_CASE("CV-16 shapes whose product wraps are refused", "[safetensors]") {
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[8589934592,2147483648],"data_offsets":[0,0]}})", 0), "shape"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]}})", 0), "shape"));
}

TEST_CASE("CV-16 unknown types, doubled keys and other structures are refused", "[safetensors]") {
  CHECK(names(refusal(R"({"t":{"dtype":"F4","shape":[1],"data_offsets":[0,4]}})", 4), "F4"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1]}})", 0), "'data_offsets' is missing"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4), "unknown field"));
  const char* twice = R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                      R"("t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  CHECK(names(refusal(twice, 4), "second time"));
  CHECK(names(refusal(R"({"t":{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}})", 4), "second time"));
  CHECK(names(refusal("[1,2]", 0), "list"));
  CHECK(names(refusal("{\"\xff\":1}", 0), "not JSON"));
  std::string deep = R"({"__metadata__":)";
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  CHECK(names(refusal(deep, 0), "an object"));
}

}  // namespace
}  // namespace dragoman::converter
