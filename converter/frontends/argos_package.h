// Argos packages: a CTranslate2 folder, a SentencePiece model and metadata.json, in a folder or as a .argosmodel zip.
// Neighbours: source_files asks for one; frontends/ctranslate2 reads the folder in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/source_folder.h"

namespace dragoman::converter {

// An opened package. What a zip holds is unpacked into files without a name on the output's file system, so that
// nothing of them stays, not even after a process that is killed.
class ArgosPackage {
 public:
  // Whether `path` is a folder with metadata.json and model/, or a zip archive.
  static bool is_package(const std::string& path);

  // Memory stays small whatever the archive announces: entries go from the mapped archive into files. Errors name the
  // package and the entry: no package inside, paths that leave it, encryption, entries out of proportion, a full disk;
  // kUnsupported for packages that split words by bpe.model.
  static Result<std::shared_ptr<const ArgosPackage>> open(const std::string& path, const std::string& output);

  // The CTranslate2 folder; sentencepiece.model lies above it.
  SourceFolder model_folder() const { return folder_.inside("model"); }
  // Adds the files read so far.
  void list(std::vector<std::string>* files) const;
  // As metadata.json has them; empty where it is silent.
  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }
  // A token that every translation has to begin with.
  const std::string& target_prefix() const { return target_prefix_; }

 private:
  ArgosPackage() = default;
  Status unpack(const std::string& path, const std::string& output);
  Status read_metadata(const std::string& path);

  SourceFolder folder_;
  std::string source_language_, target_language_, target_prefix_;
};

}  // namespace dragoman::converter
