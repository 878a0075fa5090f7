// Neighbours: source_folder.h.
#include "converter/formats/source_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace dragoman::converter {

namespace fs = std::filesystem;

SourceFolder SourceFolder::inside(const std::string& name) const {
  SourceFolder result = *this;
  if (archive_ == nullptr) {
    result.path_ = path(name);
  } else {
    result.inside_ = key(name) + "/";
  }
  return result;
}

std::string SourceFolder::key(const std::string& name) const {
  return fs::path(inside_ + name).lexically_normal().generic_string();
}

std::string SourceFolder::path(const std::string& name) const {
  if (archive_ != nullptr) return path_ + "/" + key(name);
  return (fs::path(path_) / name).lexically_normal().string();
}

bool SourceFolder::has(const std::string& name) const {
  if (archive_ != nullptr) return archive_->contains(key(name));
  std::error_code error;
  return fs::is_regular_file(path(name), error);
}

Result<std::shared_ptr<const MappedFile>> SourceFolder::open(const std::string& name) const {
  if (archive_ == nullptr) {
    DRAGOMAN_ASSIGN_OR_RETURN(std::unique_ptr<MappedFile> file, MappedFile::open(path(name)));
    return std::shared_ptr<const MappedFile>(std::move(file));
  }
  const auto at = archive_->find(key(name));
  if (at != archive_->end()) return at->second;
  return Status::error(Code::kNotFound, "%s: not in the archive", path(name).c_str());
}

void SourceFolder::list(const std::string& name, std::vector<std::string>* files) const {
  if (archive_ != nullptr) return;
  const std::string file = path(name);
  if (std::find(files->begin(), files->end(), file) == files->end()) files->push_back(file);
}

}  // namespace dragoman::converter
