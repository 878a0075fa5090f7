// The reader of SentencePiece files against damaged bytes, and what build_tokenizer refuses.
#include "converter/formats/sentencepiece_model.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

#include "converter/tokenizer_builder.h"
#include "text/tokenizer.h"

using namespace dragoman;
using converter::read_sentencepiece_model;
using converter::SentencePieceModel;

namespace {

std::string length_delimited(int field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// A protocol buffer written by hand: three pieces, BPE, an option or two.
std::string small_file() {
  const std::string score("\x15\x00\x00\xC0\xBF", 5);  // field 2, -1.5f
  const std::string unknown = length_delimited(1, "<unk>") + std::string("\x18\x02", 2);
  std::string file = length_delimited(1, unknown) + length_delimited(1, length_delimited(1, "a") + score);
  file += length_delimited(1, length_delimited(1, "bc") + score + std::string("\x18\x04", 2));
  file += length_delimited(2, std::string("\x18\x02", 2));  // model_type
  file += length_delimited(3, length_delimited(1, "identity") + std::string("\x18\x00\x28\x00", 4));
  return file + length_delimited(9, "a field that nobody knows");
}

Result<SentencePieceModel> read(const std::string& bytes) {
  return read_sentencepiece_model(std::as_bytes(std::span(bytes)));
}

SentencePieceModel valid_model() {
  SentencePieceModel model;
  model.pieces = {{"<unk>", 0, PieceType::kUnknown}, {"</s>", 0, PieceType::kControl}, {"a", -1, PieceType::kNormal}};
  return model;
}

}  // namespace

TEST_CASE("a SentencePiece file is read field by field", "[tokenizer]") {
  const auto model = read(small_file());
  REQUIRE(model.ok());
  CHECK(model.value().kind == TokenizerKind::kBpe);
  REQUIRE(model.value().pieces.size() == 3);
  CHECK(model.value().pieces[0].type == PieceType::kUnknown);
  CHECK(model.value().pieces[1].text == "a");
  CHECK(model.value().pieces[1].score == -1.5f);
  CHECK(model.value().pieces[1].type == PieceType::kNormal);
  CHECK(model.value().pieces[2].type == PieceType::kUser);
  CHECK(model.value().normalizer_name == "identity");
  CHECK_FALSE(model.value().add_dummy_prefix);
  CHECK(model.value().remove_extra_whitespaces);
  CHECK_FALSE(model.value().escape_whitespaces);
  CHECK(model.value().unknown_surface == " \xE2\x81\x87 ");
  CHECK(converter::build_tokenizer(model.value()).ok());
}

TEST_CASE("damaged SentencePiece files give an error or a usable tokenizer", "[tokenizer]") {
  const std::string good = small_file();
  CHECK_FALSE(read("").ok());
  CHECK_FALSE(read(good.substr(0, 5)).ok());
  std::mt19937 random(23);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    for (unsigned flips = random() % 4; flips != 0 && !bytes.empty(); --flips) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
    }
    const auto model = read(bytes);
    if (!model.ok()) {
      CHECK(std::string_view(model.status().message()).starts_with("SentencePiece model"));
      continue;
    }
    const auto data = converter::build_tokenizer(model.value());
    if (!data.ok()) continue;
    // What the builder lets through, the runtime accepts.
    CHECK(text::Tokenizer::create(data.value().view()).ok());
  }
}

TEST_CASE("models that contradict themselves are refused by name", "[tokenizer]") {
  const auto refused = [](const SentencePieceModel& model, std::string_view part) {
    const auto data = converter::build_tokenizer(model);
    REQUIRE_FALSE(data.ok());
    INFO(data.status().message());
    CHECK(std::string_view(data.status().message()).find(part) != std::string_view::npos);
  };
  CHECK(converter::build_tokenizer(valid_model()).ok());
  auto model = valid_model();
  model.pieces.push_back({"", -1, PieceType::kNormal});
  refused(model, "piece 3 is empty");
  model.pieces[3] = {"a", -1, PieceType::kNormal};
  refused(model, "'a', is defined twice");
  model.pieces[3].text = std::string("b\0", 2);
  refused(model, "NUL");
  model.pieces[3].text = std::string(8000, 'b');
  refused(model, "8000 bytes");
  model.pieces[3] = {"<0x41>", 0, PieceType::kByte};
  refused(model, "byte fallback is off");
  model.byte_fallback = true;
  refused(model, "not every byte");
  model.pieces[3] = {"<0x4>", 0, PieceType::kByte};
  refused(model, "<0xNN>");
  model.pieces[3] = {"<unknown>", 0, PieceType::kUnknown};
  refused(model, "both unknown");
  model = valid_model();
  model.pieces[0].type = PieceType::kNormal;
  refused(model, "no unknown piece");
  model = valid_model();
  model.pieces[2].score = -1.0f / 0.0f;
  refused(model, "score");
  model = valid_model();
  model.denormalizer_charsmap = std::string(1, 'x');
  refused(model, "denormalization");
  for (const std::string& charsmap :
       {std::string("x"), std::string(4, '\0'), std::string("\0\4\0\0", 4) + std::string(1024, '\0'),
        std::string("\0\4\0\0", 4) + std::string(1024, '\0') + "x",
        std::string("\0\4\0\0", 4) + std::string(1024, '\x7F') + std::string("\0", 1)}) {
    model = valid_model();
    model.precompiled_charsmap = charsmap;
    CHECK_FALSE(converter::build_tokenizer(model).ok());
  }
}
