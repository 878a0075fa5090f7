// The files of a model by name, wherever they lie: in a folder of the disk, or unpacked from an archive.
// Neighbours: frontends/ctranslate2 reads from one; frontends/argos_package makes one of an archive.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/mapped_file.h"

namespace dragoman::converter {

class SourceFolder {
 public:
  using Archive = std::map<std::string, std::shared_ptr<const MappedFile>>;

  SourceFolder() = default;
  // A folder of the disk, or what an archive at `path` holds.
  explicit SourceFolder(std::string path) : path_(std::move(path)) {}
  SourceFolder(std::string path, Archive archive)
      : path_(std::move(path)), archive_(std::make_shared<const Archive>(std::move(archive))) {}

  // The folder of that name inside this one.
  SourceFolder inside(const std::string& name) const;

  // Names may begin with "../", which leads to the folder above, but not out of an archive.
  bool has(const std::string& name) const;
  // kNotFound or kIo naming the file.
  Result<std::shared_ptr<const MappedFile>> open(const std::string& name) const;

  // As messages show it.
  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const;
  // Adds the file to those that were read. Files of an archive count as that one, which its owner adds.
  void list(const std::string& name, std::vector<std::string>* files) const;

 private:
  std::string key(const std::string& name) const;

  std::string path_;                        // of the folder or the archive
  std::shared_ptr<const Archive> archive_;  // null: of the disk
  std::string inside_;                      // of an archive: the folder in it, with a slash at its end; or empty
};

}  // namespace dragoman::converter
