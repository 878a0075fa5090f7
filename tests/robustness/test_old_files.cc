// A file of revision 1 that is kept for ever: every later library reads the same things out of it.
// Neighbours: tests/data/model/tiny_v1.drg and tiny_v1.txt, written once by the hidden test below.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "model/mapped_file.h"
#include "model/model_view.h"
#include "tests/robustness/describe.h"
#include "tests/support/model_builder.h"

namespace dragoman {
namespace {

TEST_CASE("MF-07: a recorded file of revision 1 reads as it did") {
  const std::string folder = std::string(DRAGOMAN_TEST_DATA) + "/model/";
  const auto mapped = model::MappedFile::map((folder + "tiny_v1.drg").c_str());
  REQUIRE(mapped.ok());
  const auto view = model::ModelView::open(mapped.value().bytes(), {.check_contents = true});
  REQUIRE(view.ok());
  std::ifstream in(folder + "tiny_v1.txt", std::ios::binary);
  REQUIRE(in.good());
  const std::string recorded{std::istreambuf_iterator<char>(in), {}};
  CHECK(test::describe(view.value()) == recorded);
}

// Writes both files into the current folder. Only for a new revision; recorded files of old ones never change.
TEST_CASE("record a file of the present revision", "[.record]") {
  const test::AlignedBytes file = test::tiny_model();
  const auto view = model::ModelView::open(file.span());
  REQUIRE(view.ok());
  std::ofstream("tiny_v1.drg", std::ios::binary)
      .write(reinterpret_cast<const char*>(file.span().data()), static_cast<std::streamsize>(file.size()));
  std::ofstream("tiny_v1.txt", std::ios::binary) << test::describe(view.value());
}

}  // namespace
}  // namespace dragoman
