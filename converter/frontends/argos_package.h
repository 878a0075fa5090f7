// Argos packages: a CTranslate2 folder, a SentencePiece model and metadata.json, in a folder or as a .argosmodel zip.
// Neighbours: source_files asks for one; frontends/ctranslate2 reads the folder in it.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace dragoman::converter {

// An opened package. What a zip holds is unpacked into a folder beside the output, which goes away with this object; a
// process that is killed leaves it (output name + ".part-" + six letters).
class ArgosPackage {
 public:
  // Whether `path` is a folder with metadata.json and model/, or a zip archive.
  static bool is_package(const std::string& path);

  // Memory stays small whatever the archive announces: entries go from the mapped archive into files. Errors name the
  // package and the entry: no package inside, paths that leave it, encryption, entries out of proportion, a full disk;
  // kUnsupported for packages that split words by bpe.model.
  static Result<std::shared_ptr<const ArgosPackage>> open(const std::string& path, const std::string& output);

  ~ArgosPackage();
  ArgosPackage(const ArgosPackage&) = delete;
  ArgosPackage& operator=(const ArgosPackage&) = delete;

  // The CTranslate2 folder; sentencepiece.model lies above it.
  std::string model_folder() const { return folder_ + "/model"; }
  const std::string& metadata_file() const { return metadata_file_; }
  // As metadata.json has them; empty where it is silent.
  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }
  // A token that every translation has to begin with.
  const std::string& target_prefix() const { return target_prefix_; }

 private:
  ArgosPackage() = default;
  Status unpack(const std::string& path, const std::string& output);
  Status read_metadata(const std::string& path);

  std::string folder_, metadata_file_;
  bool temporary_ = false;
  std::string source_language_, target_language_, target_prefix_;
};

}  // namespace dragoman::converter
