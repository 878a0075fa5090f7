// Every field of the header with values that must be refused, and what stands in the message.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>

#include "model/file_header.h"
#include "tests/unit/model/verify_support.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using model::FileHeader;

// The answer for the tiny model after `change` of its header.
Status open_with(const std::function<void(FileHeader&)>& change) {
  test::AlignedBytes file = test::tiny_model();
  FileHeader header;
  std::memcpy(&header, file.span().data(), sizeof(header));
  change(header);
  std::memcpy(file.span().data(), &header, sizeof(header));
  return test::open_status(file);
}

TEST_CASE("a file of another kind is not a model") {
  const Status status = open_with([](FileHeader& h) { std::memcpy(h.magic, "PK\3\4....", 8); });
  CHECK(status.code() == Code::kDamaged);
  CHECK_THAT(status.message(), ContainsSubstring("not a Dragoman model"));
}

TEST_CASE("MF-06: the wrong byte order is named") {
  const auto swap_all = [](FileHeader& h) {
    h.byte_order = __builtin_bswap32(h.byte_order);
    h.revision = __builtin_bswap32(h.revision);
    h.minimum_reader = __builtin_bswap32(h.minimum_reader);
    h.model_bytes = __builtin_bswap64(h.model_bytes);
    h.file_bytes = __builtin_bswap64(h.file_bytes);
  };
  CHECK_THAT(open_with(swap_all).message(), ContainsSubstring("wrong byte order"));
  CHECK_THAT(open_with([](FileHeader& h) { std::memcpy(h.magic, "NAMOGARD", 8); }).message(),
             ContainsSubstring("wrong byte order"));
  CHECK_THAT(open_with([](FileHeader& h) { h.byte_order = 0x01020403; }).message(),
             ContainsSubstring("byte order mark"));
}

TEST_CASE("MF-07: revisions and features") {
  const auto newer = [](FileHeader& h) { h.revision = 4, h.minimum_reader = 3; };
  const Status refused = open_with(newer);
  CHECK(refused.code() == Code::kNewerRevision);
  CHECK_THAT(refused.message(), ContainsSubstring("revision 4") && ContainsSubstring("reader of revision 3") &&
                                    ContainsSubstring("reads revision 2"));
  CHECK(open_with([](FileHeader& h) { h.revision = 3; }).ok());
  CHECK(open_with([](FileHeader& h) { h.revision = h.minimum_reader = 2; }).ok());
  CHECK(open_with([](FileHeader& h) { h.revision = 0; }).code() == Code::kDamaged);
  CHECK(open_with([](FileHeader& h) { h.minimum_reader = 0; }).code() == Code::kDamaged);
  CHECK(open_with([](FileHeader& h) { h.minimum_reader = 2; }).code() == Code::kDamaged);
  const Status feature = open_with([](FileHeader& h) { h.required_features = 0x80; });
  CHECK(feature.code() == Code::kUnsupported);
  CHECK_THAT(feature.message(), ContainsSubstring("0x80"));
}

TEST_CASE("sizes of the header are checked against the file and each other") {
  const uint64_t hostile[] = {
      0, 1, 63, 65, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX - 63, UINT64_MAX};
  for (const uint64_t value : hostile) {
    CAPTURE(value);
    CHECK_FALSE(open_with([&](FileHeader& h) { h.file_bytes = value; }).ok());
    CHECK_FALSE(open_with([&](FileHeader& h) { h.model_offset = value; }).ok());
    CHECK_FALSE(open_with([&](FileHeader& h) { h.model_bytes = value; }).ok());
    CHECK_FALSE(open_with([&](FileHeader& h) { h.payload_offset = value; }).ok());
    CHECK_FALSE(open_with([&](FileHeader& h) { h.payload_bytes = value; }).ok());
  }
  CHECK_FALSE(open_with([](FileHeader& h) { h.payload_offset += 64; }).ok());
  CHECK_FALSE(open_with([](FileHeader& h) { h.payload_bytes += 1; }).ok());
}

TEST_CASE("no bytes, few bytes, garbage behind the end") {
  CHECK(model::ModelView::open({}).status().code() == Code::kInvalidArgument);
  const test::AlignedBytes file = test::tiny_model();
  CHECK(model::ModelView::open(file.span().first(0)).status().code() == Code::kDamaged);
  CHECK_THAT(model::ModelView::open(file.span().first(63)).status().message(), ContainsSubstring("63 bytes"));
  test::AlignedBytes longer(file.size() + 1);
  std::memcpy(longer.span().data(), file.span().data(), file.size());
  CHECK_THAT(test::open_status(longer).message(), ContainsSubstring("truncated or padded"));
}

TEST_CASE("a damaged description is refused before it is read") {
  test::AlignedBytes file = test::tiny_model();
  file.span()[64 + 4] = std::byte{'X'};  // the FlatBuffer's file identifier
  CHECK_THAT(test::open_status(file).message(), ContainsSubstring("description"));
}

}  // namespace
}  // namespace dragoman
