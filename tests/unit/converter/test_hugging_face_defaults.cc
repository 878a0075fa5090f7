// A key that config.json leaves out counts as Hugging Face's class has it: the recorded defaults, written out, change
// nothing. Neighbours: tests/data/families/record_defaults.py records.
#include <flatbuffers/flatbuffers.h>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/hugging_face_folder.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

using nlohmann::json;

json recorded() { return json::parse(std::ifstream(std::string(DRAGOMAN_FAMILIES_DIR) + "/defaults.json")); }

HuggingFaceFolder folder_of(const std::string& type) {
  const std::string data = DRAGOMAN_DATA_DIR;
  if (type == "mbart" || type == "umt5") return HuggingFaceFolder(data + "/multilingual/" + type);
  return HuggingFaceFolder(data + "/families/" + (type == "m2m_100" ? "m2m100" : type));
}

// Why it is refused, or the whole file but for what its sources were.
std::string outcome(HuggingFaceFolder& folder) {
  const Result<converter::ConvertReport> report = folder.convert();
  if (!report.ok()) return report.status().message();
  const ConvertedModel model(folder.path("out.drg"));
  schema::ModelT description(model.description());
  description.provenance.reset();
  description.description_checksum = 0;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Model::Pack(builder, &description));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// Every MarianMT model scales its embeddings, whatever the class says; mT5 and UMT5 are untied where they have an
// output of their own.
bool is_exception(const std::string& type, const std::string& key) {
  return (type == "marian" && key == "scale_embedding") ||
         ((type == "mt5" || type == "umt5") && key == "tie_word_embeddings");
}

TEST_CASE("CV-10: defaults of the network are those of Hugging Face's classes", "[hugging_face]") {
  const json defaults = recorded()["network"];
  size_t compared = 0;
  for (const auto& [type, keys] : defaults.items()) {
    for (const auto& [key, value] : keys.items()) {
      if (is_exception(type, key)) continue;
      INFO(type << ": " << key << " = " << value);
      HuggingFaceFolder folder = folder_of(type);
      folder.config.erase("dense_act_fn");  // follow from feed_forward_proj
      folder.config.erase("is_gated_act");
      folder.config[key] = value;
      std::string written = outcome(folder);
      const std::string shown = "= '" + value.dump() + "'";  // a refusal shows the value
      if (const size_t at = written.find(shown); at != std::string::npos) written.replace(at, shown.size(), "= ''");
      folder.config.erase(key);
      CHECK(outcome(folder) == written);
      ++compared;
    }
  }
  CHECK(compared == 45);
}

TEST_CASE("CV-10: defaults of searching are those of Hugging Face", "[hugging_face]") {
  const json defaults = recorded()["search"];
  REQUIRE(defaults.size() >= 8);
  HuggingFaceFolder folder = folder_of("bart");
  for (const auto& [key, value] : defaults.items()) {
    INFO(key << " = " << value);
    folder.config.erase(key);
    folder.generation[key] = value;
    const std::string written = outcome(folder);
    folder.generation.erase(key);
    CHECK(outcome(folder) == written);
  }
}

TEST_CASE("CV-10: without a start token decoding starts with bos_token_id, without both it is refused",
          "[hugging_face]") {
  REQUIRE(recorded()["start_is_bos"] == true);
  HuggingFaceFolder folder = folder_of("bart");
  for (json* settings : {&folder.config, &folder.generation}) settings->erase("decoder_start_token_id");
  folder.config["bos_token_id"] = folder.generation["bos_token_id"] = 5;
  REQUIRE(folder.convert().ok());
  CHECK(ConvertedModel(folder.path("out.drg")).description().generation->start_id == 5);
  for (json* settings : {&folder.config, &folder.generation}) settings->erase("bos_token_id");
  CHECK(outcome(folder).find("'decoder_start_token_id' is missing") != std::string::npos);
}

}  // namespace
}  // namespace dragoman::test
