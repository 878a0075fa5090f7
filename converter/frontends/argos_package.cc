// Only entries of known names are unpacked.
// Neighbours: argos_package.h.
#include "converter/frontends/argos_package.h"

#include <filesystem>
#include <system_error>

#include "converter/formats/json_options.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/unnamed_file.h"
#include "converter/formats/zip_archive.h"

namespace dragoman::converter {
namespace {

namespace fs = std::filesystem;

constexpr char kMetadata[] = "metadata.json";
constexpr char kWeights[] = "model/model.bin";
// What a conversion reads; the sentence splitter and the rest have no part in it.
constexpr const char* kFiles[] = {kMetadata,
                                  kWeights,
                                  "model/config.json",
                                  "model/shared_vocabulary.json",
                                  "model/shared_vocabulary.txt",
                                  "model/source_vocabulary.json",
                                  "model/source_vocabulary.txt",
                                  "model/target_vocabulary.json",
                                  "model/target_vocabulary.txt",
                                  "sentencepiece.model",
                                  "bpe.model"};
constexpr uint64_t kMaxSmallFile = uint64_t{64} << 20;
constexpr uint64_t kMaxRatio = 64;  // trained weights hardly shrink; zeros that fill a disk do

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool leaves_package(const std::string& name) {
  if (name.starts_with("/") || name.find('\\') != std::string::npos || name.find('\0') != std::string::npos)
    return true;
  return ("/" + name + "/").find("/../") != std::string::npos;
}

// The folder inside the archive that holds metadata.json and model/: its name and a slash, or nothing.
Result<std::string> find_top(const ZipArchive& archive, const std::string& path) {
  std::string top;
  size_t found = 0;
  for (const ZipEntry& entry : archive.entries()) {
    if (leaves_package(entry.name)) {
      return Status::error(Code::kDamaged, "%s: '%.80s' lies outside the package", path.c_str(), entry.name.c_str());
    }
    const size_t slash = entry.name.find('/');
    const std::string folder = slash == std::string::npos ? "" : entry.name.substr(0, slash + 1);
    if (entry.name != kMetadata && entry.name != folder + kMetadata) continue;
    top = entry.name == kMetadata ? "" : folder;
    ++found;
  }
  if (found == 1 && archive.find(top + kWeights) != nullptr) return top;
  return Status::error(Code::kUnsupported, "%s: no Argos package: %s", path.c_str(),
                       found > 1    ? "several metadata.json in it"
                       : found == 0 ? "no metadata.json in it"
                                    : "no model/model.bin beside its metadata.json");
}

struct Unpacking {
  const ZipArchive& archive;
  const std::string& path;    // of the archive
  const std::string& output;  // of the conversion
};

Result<std::unique_ptr<MappedFile>> unpack_entry(const Unpacking& from, const ZipEntry& entry, const char* name) {
  const bool small = std::string_view(name) != kWeights;
  if (small ? entry.bytes > kMaxSmallFile : entry.bytes / kMaxRatio > entry.stored_bytes + 1) {
    return Status::error(Code::kDamaged, "%s: '%.80s' unpacks to %llu bytes, more than any model has there",
                         from.path.c_str(), entry.name.c_str(), static_cast<unsigned long long>(entry.bytes));
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<UnnamedFile> file, UnnamedFile::create(from.output));
  DRAGOMAN_RETURN_IF_ERROR(
      from.archive.unpack(entry, [&file](std::span<const std::byte> piece) { return file->append(piece); }));
  return file->map(from.path + "/" + name);
}

std::string text_option(const Options& options, const char* key) {
  const auto at = options.find(key);
  return at == options.end() ? "" : at->second.text();
}

}  // namespace

bool ArgosPackage::is_package(const std::string& path) {
  if (is_file(path + "/" + kMetadata) && is_file(path + "/" + kWeights)) return true;
  if (!is_file(path)) return false;
  const Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path);
  return path.ends_with(".argosmodel") || (file.ok() && looks_like_zip(file.value()->bytes()));
}

Result<std::shared_ptr<const ArgosPackage>> ArgosPackage::open(const std::string& path, const std::string& output) {
  const std::shared_ptr<ArgosPackage> package(new ArgosPackage());
  if (is_file(path)) {
    DRAGOMAN_RETURN_IF_ERROR(package->unpack(path, output));
  } else {
    package->folder_ = SourceFolder(path);
  }
  DRAGOMAN_RETURN_IF_ERROR(package->read_metadata(path));
  return std::shared_ptr<const ArgosPackage>(package);
}

Status ArgosPackage::unpack(const std::string& path, const std::string& output) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  DRAGOMAN_ASSIGN_OR_RETURN(const ZipArchive archive, ZipArchive::open(file->bytes(), path));
  DRAGOMAN_ASSIGN_OR_RETURN(const std::string top, find_top(archive, path));
  const Unpacking from{archive, path, output};
  SourceFolder::Archive files;
  for (const char* name : kFiles) {
    const ZipEntry* entry = archive.find(top + name);
    if (entry == nullptr) continue;
    DRAGOMAN_ASSIGN_OR_RETURN(files[name], unpack_entry(from, *entry, name));
  }
  folder_ = SourceFolder(path, std::move(files));
  return Status();
}

void ArgosPackage::list(std::vector<std::string>* files) const {
  if (is_file(folder_.path())) files->push_back(folder_.path());
  folder_.list(kMetadata, files);
}

Status ArgosPackage::read_metadata(const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, folder_.open(kMetadata));
  DRAGOMAN_ASSIGN_OR_RETURN(const Options options, parse_json_options(file->bytes(), path + ": " + kMetadata));
  source_language_ = text_option(options, "from_code");
  target_language_ = text_option(options, "to_code");
  target_prefix_ = text_option(options, "target_prefix");
  if (const std::string type = text_option(options, "type"); !type.empty() && type != "translate") {
    return Status::error(Code::kUnsupported, "%s: a package of type '%.40s', expected translate", path.c_str(),
                         type.c_str());
  }
  if (!folder_.has("sentencepiece.model") && folder_.has("bpe.model")) {
    return Status::error(Code::kUnsupported, "%s: words are split by bpe.model, and only sentencepiece.model is read",
                         path.c_str());
  }
  return Status();
}

}  // namespace dragoman::converter
