// PyTorch checkpoints: every element type, views of all kinds, and pickles that nobody should trust.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "converter/formats/pickle.h"
#include "converter/formats/torch_checkpoint.h"
#include "converter/frontends/array_tensor.h"
#include "tests/support/hugging_face_folder.h"
#include "tests/support/make_torch_checkpoint.h"

namespace dragoman::test {
namespace {

using converter::SourceTensor;

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// The checkpoint's tensors in order of their names.
converter::Source source_of(const std::vector<TorchStorage>& storages, const std::vector<TorchView>& views,
                            bool legacy) {
  const auto file = std::make_shared<std::vector<std::byte>>(torch_checkpoint(storages, views, legacy));
  auto arrays = converter::read_torch_checkpoint(*file, "pytorch_model.bin");
  INFO(arrays.status().message());
  REQUIRE(arrays.ok());
  converter::Source source;
  source.storage.push_back(file);
  converter::add_arrays(std::move(arrays.value()), &source);
  return source;
}

// Elements in row-major order of the tensor's shape.
std::vector<float> elements(const SourceTensor& tensor) {
  std::vector<float> values;
  for (uint64_t i = 0; i < tensor.size(); ++i) {
    const uint64_t columns = tensor.shape.back();
    const uint64_t at = tensor.transposed ? i % columns * tensor.shape[0] + i / columns : i;
    values.push_back(source_element(tensor, at));
  }
  return values;
}

std::string refusal(const std::vector<std::byte>& file) {
  const auto arrays = converter::read_torch_checkpoint(file, "pytorch_model.bin");
  REQUIRE(!arrays.ok());
  return arrays.status().message();
}

bool names(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

TEST_CASE("PyTorch checkpoints of every element type", "[torch]") {
  const std::vector<float> values = {1.5f, -2.0f, 0.25f, 65504.0f};
  std::vector<uint16_t> half, brain;
  for (const float value : values) {
    half.push_back(float_to_half(value));
    brain.push_back(float_to_bfloat16(value));
  }
  const std::vector<TorchStorage> storages = {
      {"Float", 4, bytes_of(values)},
      {"Half", 4, bytes_of(half)},
      {"BFloat16", 4, bytes_of(brain)},
      {"Double", 4, bytes_of(std::vector<double>(values.begin(), values.end()))},
      {"Char", 4, bytes_of(std::vector<int8_t>{1, -2, 3, -4})},
      {"Short", 4, bytes_of(std::vector<int16_t>{1, -2, 3000, -4})},
      {"Long", 4, bytes_of(std::vector<int64_t>{1, 2, 3, 4})}};
  std::vector<TorchView> views;
  for (size_t i = 0; i < storages.size(); ++i) views.push_back({"t" + std::to_string(i), i, 0, {2, 2}, {2, 1}, i == 0});
  for (const bool legacy : {false, true}) {
    const converter::Source source = source_of(storages, views, legacy);
    for (const char* name : {"t0", "t1", "t3"}) CHECK(elements(*source.find(name)) == values);
    CHECK(elements(*source.find("t2")) == std::vector<float>{1.5f, -2.0f, 0.25f, 65536.0f});
    CHECK(elements(*source.find("t4")) == std::vector<float>{1, -2, 3, -4});
    CHECK(elements(*source.find("t5")) == std::vector<float>{1, -2, 3000, -4});
    CHECK(source.find("t6")->type == converter::SourceType::kOther);  // stored, but no weight
  }
}

TEST_CASE("PyTorch views: offsets, strides, repeats and a storage that several tensors share", "[torch]") {
  std::vector<float> values(24);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::vector<TorchStorage> storages = {{"Float", 24, bytes_of(values)}};
  const std::vector<TorchView> views = {{"all", 0, 0, {4, 6}, {6, 1}, false},
                                        {"alias", 0, 0, {4, 6}, {6, 1}, true},
                                        {"turned", 0, 0, {6, 4}, {1, 6}, false},
                                        {"window", 0, 7, {2, 2}, {6, 1}, false},
                                        {"every other", 0, 1, {2, 3}, {12, 2}, false},
                                        {"repeated", 0, 5, {2, 2}, {0, 1}, false},
                                        {"cube turned", 0, 0, {2, 3, 2}, {1, 2, 6}, false},
                                        {"none", 0, 24, {0, 6}, {6, 1}, false}};
  for (const bool legacy : {false, true}) {
    const converter::Source source = source_of(storages, views, legacy);
    CHECK(elements(*source.find("all")) == values);
    CHECK(same_tensor(*source.find("all"), *source.find("alias")));
    CHECK(elements(*source.find("turned")) ==
          std::vector<float>{0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9, 15, 21, 4, 10, 16, 22, 5, 11, 17, 23});
    CHECK(elements(*source.find("window")) == std::vector<float>{7, 8, 13, 14});
    CHECK(elements(*source.find("every other")) == std::vector<float>{1, 3, 5, 13, 15, 17});
    CHECK(elements(*source.find("repeated")) == std::vector<float>{5, 6, 5, 6});
    CHECK(elements(*source.find("cube turned")) == std::vector<float>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
    CHECK(source.find("none")->size() == 0);
  }
}

TEST_CASE("PyTorch views outside their storage are refused by name", "[torch]") {
  const std::vector<TorchStorage> storages = {{"Float", 4, bytes_of(std::vector<float>(4))}};
  const std::vector<TorchStorage> shorter = {{"Float", 5, bytes_of(std::vector<float>(4))}};
  for (const bool legacy : {false, true}) {
    for (const TorchView& view : {TorchView{"w", 0, 1, {4}, {1}, false}, TorchView{"w", 0, 0, {2, 3}, {3, 1}, false},
                                  TorchView{"w", 0, 0, {2}, {4}, false}, TorchView{"w", 0, 5, {1}, {1}, false},
                                  TorchView{"w", 0, 0, {65536, 65536}, {65536, 65536}, false}}) {
      CHECK(names(refusal(torch_checkpoint(storages, {view}, legacy)), "'w'"));
    }
    CHECK(!refusal(torch_checkpoint(shorter, {{"w", 0, 0, {5}, {1}, false}}, legacy)).empty());
  }
}

TEST_CASE("PyTorch views that repeat few elements very often are refused", "[torch]") {
  const std::vector<TorchStorage> storages = {{"Float", 1, bytes_of(std::vector<float>(1))}};
  for (const bool legacy : {false, true}) {
    const auto file = torch_checkpoint(storages, {{"w", 0, 0, {1u << 30, 1u << 30}, {0, 0}, false}}, legacy);
    CHECK(names(refusal(file), "'w'"));
    std::vector<TorchView> views;
    const std::vector<TorchStorage> large = {{"Float", 1u << 16, bytes_of(std::vector<float>(1u << 16))}};
    views.reserve(100);
    for (int i = 0; i < 100; ++i) views.push_back({"v" + std::to_string(i), 0, 0, {1u << 15}, {2}, false});
    CHECK(names(refusal(torch_checkpoint(large, views, legacy)), "too many views"));
  }
}

TEST_CASE("every other global is refused by name, wherever it stands", "[torch]") {
  constexpr const char* kAllowed[] = {"collections OrderedDict"};
  const auto refused_by = [&](const std::string& pickle, const char* name) {
    const auto result = converter::read_pickle(std::as_bytes(std::span(pickle)), kAllowed);
    REQUIRE(!result.ok());
    CHECK(result.status().code() == Code::kUnsupported);
    CHECK(names(result.status().message(), name));
  };
  for (const char* name : {"os system", "builtins eval", "builtins getattr", "numpy.core.multiarray _reconstruct",
                           "torch load", "subprocess Popen", "collections OrderedDict2", "collections.OrderedDict x"}) {
    const std::string text = name;
    const size_t space = text.find(' ');
    const std::string module = text.substr(0, space), function = text.substr(space + 1);
    refused_by("\x80\x02" + ("c" + module) + "\n" + function + "\n)R.", name);
    refused_by("\x80\x02}X\x01" + std::string(3, '\0') + "ac" + module + "\n" + function + "\n)Rs.", name);
    const auto piece = [](const std::string& part) {
      return std::string("\x8c") + static_cast<char>(part.size()) + part;
    };
    refused_by("\x80\x04" + piece(module) + piece(function) + "\x93)R.", name);
  }
  refused_by(std::string("\x80\x02i") + "os\nsystem\n.", "opcode 0x69");
  refused_by(std::string("\x80\x02(o."), "opcode 0x6f");
  refused_by(std::string("\x80\x02)\x81."), "opcode 0x81");
  refused_by(std::string("\x80\x02\x82\x01."), "opcode 0x82");
}

TEST_CASE("pickles that want much memory or time get neither", "[torch]") {
  const auto bounded = [](const std::string& pickle) {
    const auto result = converter::read_pickle(std::as_bytes(std::span(pickle)), {});
    if (result.ok()) CHECK(result.value().values.size() <= pickle.size());
    return result.ok();
  };
  CHECK(!bounded(std::string(1000000, '(')));                // marks
  CHECK(!bounded("N" + std::string(1000000, '2') + "."));    // one value, a deep stack
  CHECK(bounded("N" + std::string(1000000, '\x85') + "."));  // tuple in a tuple
  CHECK(bounded("]" + std::string("2a", 2) + "."));          // a list in itself
  std::string memo = "N";
  for (int i = 0; i < 100000; ++i) memo += "\x94";
  CHECK(bounded(memo + "."));  // one value under many names
  // Doubling lists: each appends the one before twice.
  std::string doubling = "]";
  for (char i = 0; i < 100; ++i) doubling += std::string("q") + i + "](h" + i + "h" + i + "e" + "\x86" + "0" + "h" + i;
  (void)bounded(doubling + ".");
  for (const char* huge : {"X\xff\xff\xff\xff", "T\xff\xff\xff\x7f", "\x8c\xff", "\x8a\xff"}) CHECK(!bounded(huge));
  CHECK(!bounded(std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\xff", 9)));
  CHECK(!bounded(std::string("r\xff\xff\xff\xff.", 6)));
  CHECK(!bounded("\x80\x02}"));
}

}  // namespace
}  // namespace dragoman::test
