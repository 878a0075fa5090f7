// Argos packages: a made-up package as folder and as zip, and archives that nobody should trust.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "converter/formats/zip_archive.h"
#include "converter/frontends/argos_package.h"
#include "tests/support/make_zip.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

namespace fs = std::filesystem;

const std::string kModel = std::string(DRAGOMAN_CTRANSLATE2_DIR) + "/marian-int8/";
constexpr char kMetadata[] = R"({"package_version": "1.9", "from_code": "en", "to_code": "de", "type": "translate"})";

// The files of a package, `top` in front of every name.
std::vector<ZipMember> members(const std::string& top, bool deflate = true) {
  std::vector<ZipMember> result;
  result.push_back({top + "metadata.json", bytes_of_text(kMetadata), deflate});
  for (const char* name : {"model.bin", "config.json", "shared_vocabulary.json"}) {
    result.push_back({top + "model/" + name, read_bytes(kModel + name), deflate});
  }
  result.push_back({top + "stanza/en/tokenize/ewt.pt", bytes_of_text("not looked at"), deflate});
  result.push_back({top + "README.md", bytes_of_text("# a package"), deflate});
  return result;
}

class Package {
 public:
  std::string path(const std::string& name) const { return folder_.path(name); }

  Result<converter::ConvertReport> convert(const std::vector<ZipMember>& files) const {
    write_bytes(path("en_de.argosmodel"), zip_file(files));
    return convert(path("en_de.argosmodel"));
  }

  Result<converter::ConvertReport> convert(const std::string& input) const {
    converter::ConvertOptions options;
    options.input = input;
    options.output = path("out.drg");
    return converter::convert(options);
  }

  std::string refusal(const std::vector<ZipMember>& files) const {
    const Result<converter::ConvertReport> report = convert(files);
    REQUIRE(!report.ok());
    CHECK(!fs::exists(path("out.drg")));
    return report.status().message();
  }

 private:
  TemporaryFolder folder_;
};

bool names(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

std::vector<std::byte> payload(const std::string& path) {
  const ConvertedModel model(path);
  const TensorView table = model.tensor("embedding");
  const auto* data = static_cast<const std::byte*>(table.data);
  return {data, data + table.size()};
}

TEST_CASE("an Argos package gives what its CTranslate2 folder gives, and its languages", "[argos]") {
  const Package plain;
  REQUIRE(plain.convert(kModel).ok());
  const std::vector<std::byte> expected = payload(plain.path("out.drg"));
  for (const bool deflate : {false, true}) {
    for (const char* top : {"", "translate-en_de-1_9/"}) {
      INFO(top << (deflate ? " deflated" : " stored"));
      const Package package;
      const auto report = package.convert(members(top, deflate));
      INFO(report.status().message());
      REQUIRE(report.ok());
      CHECK(payload(package.path("out.drg")) == expected);
      const ConvertedModel converted(package.path("out.drg"));
      const schema::ModelT& model = converted.description();
      CHECK(model.source_languages.at(0)->code == "en");
      CHECK(model.target_languages.at(0)->code == "de");
      CHECK(model.generation->beam_size == 4);
      CHECK(model.provenance->source_files == std::vector<std::string>{"en_de.argosmodel"});
    }
  }
}

TEST_CASE("an open package puts no name beside the output, so that nothing stays whatever ends it", "[argos]") {
  const TemporaryFolder folder;
  write_bytes(folder.path("en_de.argosmodel"), zip_file(members("top/")));
  const auto package = converter::ArgosPackage::open(folder.path("en_de.argosmodel"), folder.path("out.drg"));
  REQUIRE(package.ok());
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder.path())) found.push_back(entry.path().filename().string());
  CHECK(found == std::vector<std::string>{"en_de.argosmodel"});
  const auto weights = package.value()->model_folder().open("model.bin");
  REQUIRE(weights.ok());
  const auto bytes = weights.value()->bytes();
  CHECK(std::vector<std::byte>(bytes.begin(), bytes.end()) == read_bytes(kModel + "model.bin"));
  CHECK(weights.value()->path() == folder.path("en_de.argosmodel") + "/model/model.bin");
}

TEST_CASE("an unpacked Argos package is read where it lies", "[argos]") {
  const Package package;
  fs::create_directories(package.path("en_de/model"));
  for (const ZipMember& member : members("en_de/")) {
    if (!names(member.name, "stanza")) write_bytes(package.path(member.name), member.bytes);
  }
  const auto report = package.convert(package.path("en_de"));
  INFO(report.status().message());
  REQUIRE(report.ok());
  CHECK(ConvertedModel(package.path("out.drg")).description().source_languages.at(0)->code == "en");
  CHECK(fs::exists(package.path("en_de/metadata.json")));
}

TEST_CASE("a package's target prefix begins every translation", "[argos]") {
  const Package package;
  std::vector<ZipMember> files = members("");
  files[0].bytes = bytes_of_text(R"({"from_code": "en", "to_code": "pb", "target_prefix": "w40"})");
  REQUIRE(package.convert(files).ok());
  CHECK(ConvertedModel(package.path("out.drg")).description().generation->forced_ids == std::vector<int32_t>{40});
  files[0].bytes = bytes_of_text(R"({"from_code": "en", "to_code": "pb", "target_prefix": ">>pob<<"})");
  fs::remove(package.path("out.drg"));
  CHECK(names(package.refusal(files), "'>>pob<<'"));
}

TEST_CASE("tokens of a package that look like languages are not placed", "[argos]") {
  const Package package;
  std::vector<ZipMember> files = members("");
  std::string tokens(reinterpret_cast<const char*>(files[3].bytes.data()), files[3].bytes.size());
  for (const auto& [word, language] : {std::pair("\"w40\"", "\"__de__\""), std::pair("\"w41\"", "\"__fr__\"")}) {
    const size_t at = tokens.find(word);
    REQUIRE(at != std::string::npos);
    tokens.replace(at, std::string(word).size(), language);
  }
  files[3].bytes = bytes_of_text(tokens);
  files[0].bytes = bytes_of_text(R"({"from_code": "en", "to_code": "de", "target_prefix": "__de__"})");
  const auto report = package.convert(files);
  INFO(report.status().message());
  REQUIRE(report.ok());
  const ConvertedModel converted(package.path("out.drg"));
  CHECK(converted.description().language_layout == nullptr);
  CHECK(converted.description().source_languages.at(0)->code == "en");
  CHECK(converted.description().generation->forced_ids == std::vector<int32_t>{40});
}

TEST_CASE("zip64 entries of a package are read", "[argos]") {
  std::vector<ZipMember> files = members("top/");
  for (ZipMember& member : files) member.zip64 = true;
  CHECK(Package().convert(files).ok());
}

TEST_CASE("archives that are no package are refused by what is missing", "[argos]") {
  std::vector<ZipMember> files = members("");
  files.erase(files.begin());
  CHECK(names(Package().refusal(files), "no metadata.json"));
  files = members("");
  files.erase(files.begin() + 1);
  CHECK(names(Package().refusal(files), "no model/model.bin"));
  files = members("a/");
  files.push_back({"b/metadata.json", bytes_of_text(kMetadata)});
  CHECK(names(Package().refusal(files), "several metadata.json"));
  files = members("");
  files[0].bytes = bytes_of_text(R"({"type": "sbd"})");
  CHECK(names(Package().refusal(files), "type 'sbd'"));
  files = members("");
  files[0].bytes = bytes_of_text("no JSON");
  CHECK(names(Package().refusal(files), "metadata.json"));
  files = members("");
  files.push_back({"bpe.model", bytes_of_text("#version: 0.2\n")});
  CHECK(names(Package().refusal(files), "bpe.model"));
  const Package package;
  write_bytes(package.path("x.argosmodel"), bytes_of_text("no zip"));
  const auto report = package.convert(package.path("x.argosmodel"));
  REQUIRE(!report.ok());
  CHECK(names(report.status().message(), "x.argosmodel: not a zip archive"));
}

TEST_CASE("names that lead out of a package are refused, whatever they name", "[argos]") {
  for (const char* name : {"../evil", "/etc/evil", "a/../../evil", "..", "a\\evil", "stanza/.."}) {
    INFO(name);
    std::vector<ZipMember> files = members("");
    files.push_back({name, bytes_of_text("x")});
    CHECK(names(Package().refusal(files), "outside the package"));
  }
}

TEST_CASE("encrypted, doubled and damaged entries of a package are refused by name", "[argos]") {
  std::vector<ZipMember> files = members("");
  files[1].encrypted = true;
  CHECK(names(Package().refusal(files), "'model/model.bin' is encrypted"));
  files = members("");
  files.push_back(files[1]);
  CHECK(names(Package().refusal(files), "stands there twice"));
  for (const bool deflate : {false, true}) {
    files = members("", deflate);
    files[1].wrong_checksum = true;
    CHECK(names(Package().refusal(files), "'model/model.bin': checksum is wrong"));
  }
}

TEST_CASE("a zip bomb in a package is refused before it unpacks", "[argos]") {
  std::vector<ZipMember> files = members("");
  files[1].bytes.assign(size_t{48} << 20, std::byte{0});
  CHECK(names(Package().refusal(files), "'model/model.bin' unpacks to 50331648 bytes"));
  files = members("");
  files[3].bytes.assign((size_t{64} << 20) + 1, std::byte{' '});
  CHECK(names(Package().refusal(files), "'model/shared_vocabulary.json' unpacks to"));
  for (const uint64_t announced : {uint64_t{1}, uint64_t{1} << 31, uint64_t{1} << 62, UINT64_MAX}) {
    files = members("");
    files[1].announced = announced;
    files[1].zip64 = true;
    INFO(announced);
    CHECK(names(Package().refusal(files), "'model/model.bin'"));
  }
}

TEST_CASE("a package cut anywhere, or with any byte of its directory changed, is refused or read", "[argos]") {
  const Package package;
  const std::vector<std::byte> whole = zip_file(members("top/"));
  for (size_t length = 0; length < whole.size(); length += 1 + whole.size() / 40) {
    write_bytes(package.path("cut.argosmodel"), std::span(whole).first(length));
    CHECK(!package.convert(package.path("cut.argosmodel")).ok());
  }
  std::vector<std::byte> changed = whole;
  for (size_t at = whole.size() - 500; at < whole.size(); at += 3) {
    changed[at] ^= std::byte{0x5a};
    write_bytes(package.path("changed.argosmodel"), changed);
    (void)package.convert(package.path("changed.argosmodel"));
    changed[at] = whole[at];
  }
}

TEST_CASE("the output must not be the package itself", "[argos]") {
  const TemporaryFolder folder;
  const std::vector<std::byte> whole = zip_file(members(""));
  write_bytes(folder.path("a.argosmodel"), whole);
  converter::ConvertOptions options;
  options.input = options.output = folder.path("a.argosmodel");
  CHECK(!converter::convert(options).ok());
  CHECK(read_bytes(options.output) == whole);
}

}  // namespace
}  // namespace dragoman::test
