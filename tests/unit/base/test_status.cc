// Status and Result: messages, cutting, moving values, and the two macros.
// Neighbours: runtime/base/status.h.
#include "base/status.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <memory>
#include <string>

using dragoman::Code;
using dragoman::Result;
using dragoman::Status;

namespace {

Result<std::unique_ptr<int>> positive(int value) {
  if (value <= 0) return Status::error(Code::kInvalidArgument, "value: found %d, expected > 0", value);
  return std::make_unique<int>(value);
}

Status twice(int value, int* out) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<int> held, positive(value));
  *out = *held * 2;
  return {};
}

Status twice_of_both(int a, int b, int* out) {
  DRAGOMAN_RETURN_IF_ERROR(twice(a, out));
  DRAGOMAN_RETURN_IF_ERROR(twice(b, out));
  return {};
}

}  // namespace

TEST_CASE("a fresh status is ok and has no message") {
  const Status status;
  CHECK(status.ok());
  CHECK(status.code() == Code::kOk);
  CHECK(std::strlen(status.message()) == 0);
}

TEST_CASE("an error carries its code and its formatted message") {
  const Status status = Status::error(Code::kDamaged, "tensor '%s': found %d columns", "x", 3);
  CHECK_FALSE(status.ok());
  CHECK(status.code() == Code::kDamaged);
  CHECK(std::string(status.message()) == "tensor 'x': found 3 columns");
}

TEST_CASE("a long message is cut and stays terminated") {
  const std::string text(1000, 'a');
  const Status status = Status::error(Code::kIo, "%s", text.c_str());
  CHECK(std::strlen(status.message()) == Status::kMessageBytes - 1);
}

TEST_CASE("a result holds a value that can be moved, or a status") {
  auto good = positive(7);
  REQUIRE(good.ok());
  auto moved = std::move(good);
  REQUIRE(moved.ok());
  CHECK(*moved.value() == 7);
  const auto bad = positive(0);
  CHECK_FALSE(bad.ok());
  CHECK(bad.status().code() == Code::kInvalidArgument);
}

TEST_CASE("the macros hand a value on or return the first error") {
  int out = 0;
  CHECK(twice_of_both(2, 4, &out).ok());
  CHECK(out == 8);
  const Status status = twice_of_both(3, -1, &out);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(std::string(status.message()) == "value: found -1, expected > 0");
  CHECK(out == 6);
}
