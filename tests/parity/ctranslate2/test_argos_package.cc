// A real model as an Argos package: translates as the CTranslate2 folder in it does.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/parity/families/family_model.h"
#include "tests/support/make_marian_model.h"
#include "tests/support/make_zip.h"
#include "tests/support/temporary_folder.h"

namespace dragoman {
namespace {

using test::FamilyModel;
using test::Ids;

std::vector<Ids> recorded_sources(const std::string& path, size_t count) {
  std::vector<Ids> sources;
  std::ifstream lines(path);
  std::string line;
  while (sources.size() < count && std::getline(lines, line)) {
    sources.push_back(nlohmann::json::parse(line)["input_ids"].get<Ids>());
  }
  return sources;
}

TEST_CASE("a trained model translates from its Argos package as from its folder", "[argos]") {
  const std::string models = std::string(DRAGOMAN_SHARED_DIR) + "/models/";
  const std::string folder = models + "multi30k-en-de-ctranslate2-int8/", pieces = models + "multi30k-en-de/source.spm";
  if (!std::filesystem::exists(folder)) SKIP("trained CTranslate2 model: " << folder << " is not there");
  const test::TemporaryFolder temporary;
  std::vector<test::ZipMember> members;
  const std::string top = "translate-en_de-1_0/";
  members.push_back({top + "metadata.json", test::bytes_of_text(R"({"from_code": "en", "to_code": "de"})"), true});
  for (const char* name : {"model.bin", "config.json", "shared_vocabulary.json"}) {
    members.push_back({top + "model/" + name, test::read_bytes(folder + name), true});
  }
  members.push_back({top + "sentencepiece.model", test::read_bytes(pieces), true});
  members.push_back({top + "stanza/en/resources.json", test::bytes_of_text("{}"), true});
  test::write_bytes(temporary.path("en_de.argosmodel"), test::zip_file(members));

  converter::ConvertOptions packed;
  packed.input = temporary.path("en_de.argosmodel");
  const FamilyModel from_package(packed, ops::Compute::kInt8);
  converter::ConvertOptions unpacked;
  unpacked.input = folder;
  unpacked.source_vocabulary = pieces;
  const FamilyModel from_folder(unpacked, ops::Compute::kInt8);
  CHECK(std::string(from_package.view().source_language(0).code) == "en");
  const std::vector<Ids> sources = recorded_sources(models + "multi30k-en-de/reference/reference.jsonl", 40);
  const auto first = from_package.translate(sources, 1, 64, false),
             second = from_folder.translate(sources, 1, 64, false);
  for (size_t i = 0; i < sources.size(); ++i) {
    CHECK(!first[i].ids.empty());
    CHECK(first[i].ids == second[i].ids);
  }
}

}  // namespace
}  // namespace dragoman
