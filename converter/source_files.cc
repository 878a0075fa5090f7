// Looks through a model folder.
// Neighbours: source_files.h.
#include "converter/source_files.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

#include "converter/formats/mapped_file.h"
#include "converter/frontends/ctranslate2.h"
#include "converter/frontends/hugging_face.h"

namespace dragoman::converter {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Result<Names> list_folder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    return Status::error(Code::kInvalidArgument, "%s: neither a folder nor an .argosmodel package", folder.c_str());
  }
  Names names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error)) names.push_back(at->path().filename().string());
  }
  if (error) return Status::error(Code::kNotFound, "%s: cannot list: %s", folder.c_str(), error.message().c_str());
  std::sort(names.begin(), names.end());  // the order of the file system is not the same everywhere
  return names;
}

Names matching(const Names& names, const std::function<bool(const std::string&)>& accepts) {
  Names found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found), accepts);
  return found;
}

bool is_model(const std::string& name) {
  return name.starts_with("model") &&
         (name.ends_with(".bin") || (name.ends_with(".npz") && !contains(name, "optimizer")));
}
bool is_shortlist(const std::string& name) { return name.starts_with("lex") && name.ends_with(".bin"); }
bool is_config(const std::string& name) { return name.starts_with("config") && name.ends_with(".yml"); }
bool is_vocabulary(const std::string& name) {
  return contains(name, "vocab") && (name.ends_with(".spm") || name.ends_with(".yml"));
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The only candidate; none is an error when `required`.
Result<std::string> only(const std::string& folder, const char* what, const Names& found, bool required) {
  if (found.size() == 1) return (fs::path(folder) / found.front()).string();
  if (found.empty() && !required) return std::string();
  if (found.empty()) return Status::error(Code::kNotFound, "%s: no %s found", folder.c_str(), what);
  return Status::error(Code::kInvalidArgument, "%s: several files could be the %s (%s): name one", folder.c_str(), what,
                       joined(found).c_str());
}

Result<Options> read_decoder_options(const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  return parse_yaml_options(text, path);
}

// Item `index` of list `key` of the decoder's configuration when it names a file that is there.
std::string configured(const SourceFiles& files, const std::string& folder, const char* key, size_t index) {
  const auto at = files.decoder_options.find(key);
  if (at == files.decoder_options.end() || at->second.items.size() <= index) return "";
  const fs::path path = fs::path(folder) / at->second.items[index];
  std::error_code error;
  return fs::is_regular_file(path, error) ? path.string() : "";
}

bool names_source(const std::string& name) { return contains(name, "src") || contains(name, "source"); }
bool names_target(const std::string& name) {
  return contains(name, "trg") || contains(name, "tgt") || contains(name, "target");
}

Status find_vocabularies(const std::string& folder, const Names& names, SourceFiles* files) {
  const Names found = matching(names, is_vocabulary);
  const Names sources = matching(found, names_source), targets = matching(found, names_target);
  if (found.size() == 2 && sources.size() == 1 && targets.size() == 1) {
    files->source_vocabulary = (fs::path(folder) / sources.front()).string();
    files->target_vocabulary = (fs::path(folder) / targets.front()).string();
    return Status();
  }
  DRAGOMAN_ASSIGN_OR_RETURN(files->source_vocabulary,
                            only(folder, "vocabulary (*vocab*.spm, *vocab*.yml)", found, true));
  return Status();
}

Status search_folder(const ConvertOptions& options, SourceFiles* files) {
  const std::string& folder = options.input;
  DRAGOMAN_ASSIGN_OR_RETURN(const Names names, list_folder(folder));
  if (files->decoder_config.empty()) {
    DRAGOMAN_ASSIGN_OR_RETURN(files->decoder_config,
                              only(folder, "decoder configuration (config*.yml)", matching(names, is_config), false));
  }
  if (!files->decoder_config.empty()) {
    DRAGOMAN_ASSIGN_OR_RETURN(files->decoder_options, read_decoder_options(files->decoder_config));
  }
  if (files->model.empty()) files->model = configured(*files, folder, "models", 0);
  if (files->model.empty()) {
    DRAGOMAN_ASSIGN_OR_RETURN(files->model,
                              only(folder, "model (model*.bin, model*.npz)", matching(names, is_model), true));
  }
  if (files->source_vocabulary.empty()) {
    files->source_vocabulary = configured(*files, folder, "vocabs", 0);
    if (files->target_vocabulary.empty()) files->target_vocabulary = configured(*files, folder, "vocabs", 1);
    if (files->source_vocabulary.empty()) DRAGOMAN_RETURN_IF_ERROR(find_vocabularies(folder, names, files));
  }
  if (files->shortlist.empty() && options.use_shortlist) {
    files->shortlist = configured(*files, folder, "shortlist", 0);
    if (files->shortlist.empty()) {
      DRAGOMAN_ASSIGN_OR_RETURN(files->shortlist,
                                only(folder, "shortlist (lex*.bin)", matching(names, is_shortlist), false));
    }
  }
  return Status();
}

// Names like model.enpt.bin hold both codes; the same part has to stand in a second file's name, because four letters
// alone could be any word.
void guess_languages(SourceFiles* files) {
  const std::string model = "." + file_name(files->model) + ".";
  const std::string others = "." + file_name(files->source_vocabulary) + "." + file_name(files->shortlist) + ".";
  for (size_t at = model.find('.'); at + 5 < model.size(); at = model.find('.', at + 1)) {
    const std::string part = model.substr(at, 6);  // ".enpt."
    const bool letters = std::all_of(part.begin() + 1, part.end() - 1, [](char c) { return c >= 'a' && c <= 'z'; });
    if (part.back() != '.' || !letters || !contains(others, part.c_str())) continue;
    if (files->source_language.empty()) files->source_language = part.substr(1, 2);
    if (files->target_language.empty()) files->target_language = part.substr(3, 2);
    return;
  }
}

void find_ctranslate2_files(const SourceFolder& folder, SourceFiles* files) {
  files->layout = SourceLayout::kCTranslate2;
  files->model = folder.path();
  files->folder = folder;
  for (const char* name : {"model.bin", "config.json"}) {
    if (folder.has(name)) folder.list(name, &files->weights);
  }
}

Status find_argos_files(const ConvertOptions& options, SourceFiles* files) {
  std::error_code error;
  // The output must not replace the package, which is opened before the output is checked against the sources.
  if (fs::equivalent(options.input, options.output, error)) {
    return Status::error(Code::kInvalidArgument, "%s: is read by this conversion, so it cannot be the output",
                         options.output.c_str());
  }
  DRAGOMAN_ASSIGN_OR_RETURN(files->package, ArgosPackage::open(options.input, options.output));
  files->package->list(&files->weights);
  find_ctranslate2_files(files->package->model_folder(), files);
  if (files->source_language.empty()) files->source_language = files->package->source_language();
  if (files->target_language.empty()) files->target_language = files->package->target_language();
  return Status();
}

}  // namespace

Result<SourceFiles> find_source_files(const ConvertOptions& options) {
  SourceFiles files;
  files.model = options.model;
  files.source_vocabulary = options.source_vocabulary;
  files.target_vocabulary = options.target_vocabulary;
  files.shortlist = options.use_shortlist ? options.shortlist : "";
  files.decoder_config = options.decoder_config;
  files.source_language = options.source_language;
  files.target_language = options.target_language;
  if (!options.input.empty() && options.model.empty() && is_hugging_face_folder(options.input)) {
    files.layout = SourceLayout::kHuggingFace;
    files.model = options.input;
    DRAGOMAN_ASSIGN_OR_RETURN(files.weights, hugging_face_files(options.input));
    return files;
  }
  if (!options.input.empty() && options.model.empty() && ArgosPackage::is_package(options.input)) {
    DRAGOMAN_RETURN_IF_ERROR(find_argos_files(options, &files));
    return files;
  }
  if (!options.input.empty() && options.model.empty() && is_ctranslate2_folder(options.input)) {
    find_ctranslate2_files(SourceFolder(options.input), &files);
    return files;
  }
  if (!options.input.empty()) {
    DRAGOMAN_RETURN_IF_ERROR(search_folder(options, &files));
  } else if (!files.decoder_config.empty()) {
    DRAGOMAN_ASSIGN_OR_RETURN(files.decoder_options, read_decoder_options(files.decoder_config));
  }
  if (files.model.empty()) return Status::error(Code::kInvalidArgument, "name a model file or a folder to convert");
  if (files.source_vocabulary.empty()) return Status::error(Code::kInvalidArgument, "name a vocabulary file");
  if (files.target_vocabulary.empty()) files.target_vocabulary = files.source_vocabulary;
  files.weights = {files.model};
  guess_languages(&files);
  return files;
}

}  // namespace dragoman::converter
