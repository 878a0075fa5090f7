// Only files of known names are unpacked, so no name in an archive becomes a path.
// Neighbours: argos_package.h.
#include "converter/frontends/argos_package.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "converter/formats/json_options.h"
#include "converter/formats/mapped_file.h"
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

Status unpack_entry(const ZipArchive& archive, const ZipEntry& entry, const std::string& path,
                    const std::string& target) {
  const bool small = !target.ends_with(kWeights);
  if (small ? entry.bytes > kMaxSmallFile : entry.bytes / kMaxRatio > entry.stored_bytes + 1) {
    return Status::error(Code::kDamaged, "%s: '%.80s' unpacks to %llu bytes, more than any model has there",
                         path.c_str(), entry.name.c_str(), static_cast<unsigned long long>(entry.bytes));
  }
  std::FILE* file = std::fopen(target.c_str(), "wb");
  const auto failed = [&target] {
    return Status::error(Code::kIo, "%s: cannot write: %s", target.c_str(), std::strerror(errno));
  };
  if (file == nullptr) return failed();
  Status status = archive.unpack(entry, [&](std::span<const std::byte> piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size() ? Status() : failed();
  });
  if (std::fclose(file) != 0 && status.ok()) status = failed();
  return status;
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
    package->folder_ = path;
  }
  DRAGOMAN_RETURN_IF_ERROR(package->read_metadata(path));
  return std::shared_ptr<const ArgosPackage>(package);
}

ArgosPackage::~ArgosPackage() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(folder_, ignored);
}

Status ArgosPackage::unpack(const std::string& path, const std::string& output) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  DRAGOMAN_ASSIGN_OR_RETURN(const ZipArchive archive, ZipArchive::open(file->bytes(), path));
  DRAGOMAN_ASSIGN_OR_RETURN(const std::string top, find_top(archive, path));
  std::string folder = output + ".part-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return Status::error(Code::kIo, "%s: cannot create: %s", folder.c_str(), std::strerror(errno));
  }
  folder_ = folder;
  temporary_ = true;
  std::error_code error;
  fs::create_directory(model_folder(), error);
  for (const char* name : kFiles) {
    const ZipEntry* entry = archive.find(top + name);
    if (entry == nullptr) continue;
    DRAGOMAN_RETURN_IF_ERROR(unpack_entry(archive, *entry, path, folder_ + "/" + name));
  }
  return Status();
}

Status ArgosPackage::read_metadata(const std::string& path) {
  metadata_file_ = folder_ + "/" + kMetadata;
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(metadata_file_));
  DRAGOMAN_ASSIGN_OR_RETURN(const Options options, parse_json_options(file->bytes(), path + ": " + kMetadata));
  source_language_ = text_option(options, "from_code");
  target_language_ = text_option(options, "to_code");
  target_prefix_ = text_option(options, "target_prefix");
  if (const std::string type = text_option(options, "type"); !type.empty() && type != "translate") {
    return Status::error(Code::kUnsupported, "%s: a package of type '%.40s', expected translate", path.c_str(),
                         type.c_str());
  }
  if (!is_file(folder_ + "/sentencepiece.model") && is_file(folder_ + "/bpe.model")) {
    return Status::error(Code::kUnsupported, "%s: words are split by bpe.model, and only sentencepiece.model is read",
                         path.c_str());
  }
  return Status();
}

}  // namespace dragoman::converter
