// The tensor directory with one thing wrong at a time.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cstring>
#include <limits>

#include "tests/unit/model/verify_support.h"

namespace dragoman {
namespace {

using Catch::Matchers::ContainsSubstring;
using schema::TensorType;
using test::BadModel;
using test::ModelBuilder;
using test::tensor_named;

const BadModel kBadModels[] = {
    {"no name", [](ModelBuilder& b) { b.model.tensors[3]->name = ""; }, "tensor 3: found a name of 0 bytes"},
    {"long name", [](ModelBuilder& b) { b.model.tensors[3]->name = std::string(256, 'n'); }, "256 bytes"},
    {"terminal escape", [](ModelBuilder& b) { b.model.tensors[3]->name = "a\x1b[2J"; }, "control character 0x1b"},
    {"NUL inside", [](ModelBuilder& b) { b.model.tensors[3]->name = std::string("a\0b", 3); },
     "control character 0x00"},
    {"name twice", [](ModelBuilder& b) { b.model.tensors[9]->name = "embedding"; },
     "'embedding': the name stands twice"},
    {"unknown type", [](ModelBuilder& b) { tensor_named(b, "positions").type = static_cast<TensorType>(9); },
     "'positions': element type 9", Code::kUnsupported},
    {"no dimensions", [](ModelBuilder& b) { tensor_named(b, "positions").shape.clear(); }, "0 dimensions"},
    {"five dimensions",
     [](ModelBuilder& b) {
       tensor_named(b, "positions").shape = {1, 1, 1, 64, 16};
     },
     "5 dimensions"},
    {"zero among dimensions",
     [](ModelBuilder& b) {
       tensor_named(b, "positions").shape = {uint64_t{1} << 62, 0};
       tensor_named(b, "positions").bytes = 0;
     },
     "dimension of 0"},
    {"product overflows",
     [](ModelBuilder& b) {
       tensor_named(b, "positions").shape = {uint64_t{1} << 62, 16};
     },
     "positions"},
    {"product wraps to the size",
     [](ModelBuilder& b) {
       tensor_named(b, "positions").shape = {(uint64_t{1} << 58) + 64, 16};
     },
     "needs more than"},
    {"too few bytes", [](ModelBuilder& b) { tensor_named(b, "positions").bytes -= 4; },
     "'positions': found 4092 bytes"},
    {"half-size type", [](ModelBuilder& b) { tensor_named(b, "positions").type = TensorType::F16; },
     "its shape needs 2048"},
    {"scales out of range", [](ModelBuilder& b) { tensor_named(b, "embedding").scales = 100000; },
     "scales are tensor 100000"},
    {"scales negative", [](ModelBuilder& b) { tensor_named(b, "embedding").scales = -2; }, "scales are tensor -2"},
    {"row sums out of range", [](ModelBuilder& b) { tensor_named(b, "embedding").row_sums = 100000; },
     "row sums are tensor"},
    {"scales of wrong type",
     [](ModelBuilder& b) { tensor_named(b, "embedding").scales = tensor_named(b, "embedding").row_sums; },
     "have type I32"},
    {"row sums of wrong type",
     [](ModelBuilder& b) { tensor_named(b, "embedding").row_sums = tensor_named(b, "embedding").scales; },
     "row sums 'embedding.scales' have type F32"},
    {"scales of wrong size",
     [](ModelBuilder& b) { tensor_named(b, "embedding").scales = tensor_named(b, "encoder.qkv.weight").scales; },
     "48 elements, expected F32 and 24"},
    {"scales of a float tensor",
     [](ModelBuilder& b) { tensor_named(b, "positions").scales = tensor_named(b, "embedding").scales; },
     "its elements are of type F32"},
};

TEST_CASE("a wrong tensor directory is refused by name") {
  for (const BadModel& bad : kBadModels) {
    CAPTURE(bad.what);
    const Status status = test::open_changed(bad.change);
    CHECK(status.code() == bad.code);
    CHECK_THAT(status.message(), ContainsSubstring(bad.message));
  }
}

// Sets a tensor's offset in a finished file, where the builder has none to be told.
void set_offset(test::AlignedBytes& file, const char* name, uint64_t offset) {
  for (const schema::Tensor* t : *schema::GetModel(file.span().data() + 64)->tensors()) {
    if (t->name()->str() != name) continue;
    auto* table = const_cast<flatbuffers::Table*>(reinterpret_cast<const flatbuffers::Table*>(t));
    REQUIRE(table->SetField<uint64_t>(schema::Tensor::VT_OFFSET, offset, 0));
  }
}

Status open_with_offset(const char* name, const std::function<uint64_t(uint64_t offset, size_t file_bytes)>& change) {
  ModelBuilder b = test::tiny_model_builder();
  test::AlignedBytes file = b.finish();
  set_offset(file, name, change(tensor_named(b, name).offset, file.size()));
  return test::open_status(file);
}

TEST_CASE("offsets outside the payload, unaligned or overlapping are refused") {
  CHECK(open_with_offset("positions", [](uint64_t o, size_t) { return o; }).ok());
  CHECK_THAT(open_with_offset("positions", [](uint64_t o, size_t) { return o + 4; }).message(),
             ContainsSubstring("'positions'") && ContainsSubstring("multiple of 64"));
  CHECK_THAT(open_with_offset("positions", [](uint64_t, size_t) { return uint64_t{64}; }).message(),
             ContainsSubstring("outside the payload"));
  CHECK_THAT(open_with_offset("positions", [](uint64_t, size_t n) { return n / 64 * 64; }).message(),
             ContainsSubstring("outside the payload"));
  CHECK_THAT(open_with_offset("positions", [](uint64_t, size_t) { return UINT64_MAX - 63; }).message(),
             ContainsSubstring("outside the payload"));
  CHECK_THAT(open_with_offset("positions", [](uint64_t o, size_t) { return o + 64; }).message(),
             ContainsSubstring("overlap"));
}

TEST_CASE("one range may have two names") {
  ModelBuilder b = test::tiny_model_builder();
  b.add_alias("twin", TensorType::I8, {24 * 16}, 0);
  CHECK(test::open_status(b.finish(), {.check_contents = true}).ok());
}

TEST_CASE("RT-14: scales that are not finite and above zero are refused") {
  for (const float bad :
       {0.0f, -0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    CAPTURE(bad);
    ModelBuilder b = test::tiny_model_builder();
    test::AlignedBytes file = b.finish();
    std::memcpy(file.span().data() + tensor_named(b, "encoder.out.weight.scales").offset + 15 * sizeof(float), &bad,
                sizeof(bad));
    const Status status = test::open_status(file);
    CHECK(status.code() == Code::kDamaged);
    CHECK_THAT(status.message(), ContainsSubstring("'encoder.out.weight.scales'") && ContainsSubstring("row 15"));
  }
}

TEST_CASE("contents are compared on request only") {
  ModelBuilder b = test::tiny_model_builder();
  test::AlignedBytes file = b.finish();
  CHECK(test::open_status(file, {.check_contents = true}).ok());
  file.span()[tensor_named(b, "encoder.out.weight").offset] ^= std::byte{1};
  CHECK(test::open_status(file).ok());
  CHECK_THAT(test::open_status(file, {.check_contents = true}).message(),
             ContainsSubstring("'encoder.out.weight': found checksum"));

  ModelBuilder sums = test::tiny_model_builder();
  std::vector<int32_t> wrong(24, 12345);
  tensor_named(sums, "embedding").row_sums = static_cast<int32_t>(sums.add("wrong", TensorType::I32, {24}, wrong));
  CHECK_THAT(test::open_status(sums.finish(), {.check_contents = true}).message(),
             ContainsSubstring("'embedding': row 0 adds up to"));
}

TEST_CASE("an int8 element of -128 is found on request") {
  ModelBuilder b = test::tiny_model_builder();
  b.add("most", TensorType::I8, {2, 2}, std::vector<int8_t>{1, -127, 127, 0});
  CHECK(test::open_status(b.finish(), {.check_contents = true}).ok());
  b.add("below", TensorType::I8, {2, 2}, std::vector<int8_t>{1, -127, -128, 0});
  const test::AlignedBytes file = b.finish();
  CHECK(test::open_status(file).ok());
  CHECK_THAT(test::open_status(file, {.check_contents = true}).message(),
             ContainsSubstring("'below': element 2 is -128"));
}

TEST_CASE("int4 rows start on whole bytes") {
  ModelBuilder b = test::tiny_model_builder();
  const std::vector<uint8_t> data = {0x21, 0x0f, 0x87, 0x00};  // rows {1, 2, -1} and {7, -8, 0}
  const uint32_t index = b.add("i4", TensorType::I4, {2, 3}, data);
  b.model.tensors[index]->row_sums =
      static_cast<int32_t>(b.add("sums", TensorType::I32, {2}, std::vector<int32_t>{2, -1}));
  CHECK(test::open_status(b.finish(), {.check_contents = true}).ok());
}

namespace {

// A tiny model with an I4 tensor of 2 x 64 and a scale for each of its 4 blocks.
ModelBuilder with_blocks(uint16_t last_scale) {
  ModelBuilder b = test::tiny_model_builder();
  const uint32_t index = b.add("i4", TensorType::I4, {2, 64}, std::vector<uint8_t>(64, 0x17));
  b.model.tensors[index]->block = 32;
  b.model.tensors[index]->scales = static_cast<int32_t>(
      b.add("i4.scales", TensorType::BF16, {4}, std::vector<uint16_t>{0x3C00, 0x3C00, 0x3C00, last_scale}));
  return b;
}

std::string message_of(const std::function<void(schema::TensorT&)>& change) {
  ModelBuilder b = with_blocks(0x3C00);
  change(tensor_named(b, "i4"));
  return test::open_status(b.finish()).message();
}

}  // namespace

TEST_CASE("int4 blocks have a normal scale each") {
  ModelBuilder good = with_blocks(0x3C00);
  const test::AlignedBytes file = good.finish();
  CHECK(test::open_status(file, {.check_contents = true}).ok());
  const model::ModelView view = model::ModelView::open(file.span()).value();
  const TensorView tensor = view.tensor(static_cast<size_t>(view.find_tensor("i4")));
  REQUIRE(tensor.block_scales != nullptr);
  CHECK(tensor.block_scales[3] == 0x3C00);
  CHECK(tensor.scales == nullptr);
  for (const uint16_t scale : {0x0000, 0x0040, 0x7F80, 0x7FC0, 0xBC00}) {  // 0, subnormal, infinity, NaN, negative
    ModelBuilder b = with_blocks(scale);
    CHECK_THAT(test::open_status(b.finish()).message(), ContainsSubstring("at block 3"));
  }
  CHECK_THAT(message_of([](schema::TensorT& t) { t.block = 16; }), ContainsSubstring("found blocks of 16"));
  CHECK_THAT(message_of([](schema::TensorT& t) { t.block = 0; }), ContainsSubstring("expected F32 and 2"));
  CHECK_THAT(message_of([](schema::TensorT& t) { t.scales = -1; }), ContainsSubstring("expected scales of its blocks"));
  CHECK_THAT(message_of([](schema::TensorT& t) { t.scales = 1 << 20; }), ContainsSubstring("expected scales"));
  CHECK_THAT(message_of([](schema::TensorT& t) {
               t.shape = {4, 32}, t.scales = 1;
             }),
             ContainsSubstring("expected BF16"));
  CHECK_THAT(message_of([](schema::TensorT& t) { t.shape = {8, 16}; }), ContainsSubstring("in 16 columns"));
}

TEST_CASE("as many tensors as are allowed are checked in little time") {
  ModelBuilder b = test::tiny_model_builder();
  while (b.model.tensors.size() < 65536) {
    b.add_hole(std::string(240, 'n') + std::to_string(b.model.tensors.size()), TensorType::U8, {0}, 0);
  }
  const test::AlignedBytes file = b.finish();
  const auto start = std::chrono::steady_clock::now();
  CHECK(test::open_status(file).ok());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));  // takes about 30 ms
  b.add_hole("one more", TensorType::U8, {0}, 0);
  CHECK(test::open_status(b.finish()).code() == Code::kUnsupported);
}

}  // namespace
}  // namespace dragoman
