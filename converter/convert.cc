// The journey of a conversion: find the files, read the source, let its family build the network, write the file.
// Neighbours: converter.h is the public face; conversion.h is what the steps share, of which text and provenance have
// files of their own.
#include "converter/conversion.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "converter/calibration.h"
#include "converter/converter.h"
#include "converter/families/family.h"
#include "converter/frontends/ctranslate2.h"
#include "converter/frontends/hugging_face.h"
#include "converter/frontends/marian.h"
#include "converter/writer.h"
#include "dragoman/dragoman.hpp"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr uint32_t kMaxPositions = 1u << 20;

Result<Source> read_source(const SourceFiles& files) {
  switch (files.layout) {
    case SourceLayout::kMarian: break;
    case SourceLayout::kHuggingFace: return read_hugging_face_source(files.model);
    case SourceLayout::kCTranslate2: return read_ctranslate2_source(files.folder);
  }
  return read_marian_source(files.model);
}

// Every pattern has to have named a weight.
Status check_rules(Conversion& work) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : work.store.tensors()) names.push_back(tensor.name);
  for (std::string& complaint : work.rules.complaints(names)) work.problems.add(std::move(complaint));
  return work.problems.status(work.files.model);
}

Status build_network(Conversion& work) {
  DRAGOMAN_ASSIGN_OR_RETURN(work.source, read_source(work.files));
  work.report.notes.insert(work.report.notes.end(), work.source.notes.begin(), work.source.notes.end());
  work.report.num_source_tensors = work.source.tensors.size() + work.source.ignored.size();
  work.report.num_ignored_tensors = work.source.ignored.size();
  const Family* family = find_family(work.source);
  if (family == nullptr) {
    const auto type = work.source.options.find("model_type");
    return Status::error(Code::kUnsupported, "%s: no family of models fits it%s%s", work.files.model.c_str(),
                         type == work.source.options.end() ? "" : ", of model_type ",
                         type == work.source.options.end() ? "" : type->second.text().c_str());
  }
  work.report.family = family->name;
  FamilyContext context{work.source, work.options, work.weights, work.graph, work.report, work.problems};
  DRAGOMAN_ASSIGN_OR_RETURN(work.facts, family->build(context));
  work.model->graph = work.graph.finish();
  return check_rules(work);
}

void add_language(const std::string& code, std::vector<std::unique_ptr<schema::LanguageT>>* languages) {
  if (code.empty()) return;
  languages->push_back(std::make_unique<schema::LanguageT>());
  languages->back()->code = code;
}

void add_names(Conversion& work) {
  work.model->name = work.options.name;
  if (work.model->name.empty()) work.model->name = std::filesystem::path(work.options.output).stem().string();
  work.model->licence = work.options.licence;
  if (!work.model->target_languages.empty()) return;  // a multilingual model
  add_language(work.files.source_language, &work.model->source_languages);
  add_language(work.files.target_language, &work.model->target_languages);
  if (work.files.source_language.empty() || work.files.target_language.empty()) {
    work.report.notes.push_back("languages are neither given nor to be seen in the file names");
  }
}

Status check_options(const ConvertOptions& options) {
  if (options.output.empty()) return Status::error(Code::kInvalidArgument, "name an output file");
  if (options.max_positions == 0 || options.max_positions > kMaxPositions) {
    return Status::error(Code::kInvalidArgument, "max_positions is %u, expected 1 to %u", options.max_positions,
                         kMaxPositions);
  }
  if (!options.max_loss.has_value()) return Status();
  if (options.calibration_text.empty()) {
    return Status::error(Code::kInvalidArgument, "a maximum loss needs a calibration text to measure it on");
  }
  if (*options.max_loss >= 0 && *options.max_loss <= 100) return Status();
  return Status::error(Code::kInvalidArgument, "the maximum loss is %g, expected 0 to 100 points of chrF",
                       *options.max_loss);
}

// Everything but the writing.
Status prepare(Conversion& work) {
  DRAGOMAN_RETURN_IF_ERROR(check_options(work.options));
  DRAGOMAN_ASSIGN_OR_RETURN(work.files, find_source_files(work.options));
  DRAGOMAN_RETURN_IF_ERROR(check_outputs(work));
  work.report.model = work.files.model;
  work.report.output = work.options.output;
  DRAGOMAN_RETURN_IF_ERROR(build_network(work));
  DRAGOMAN_RETURN_IF_ERROR(add_text(work));
  DRAGOMAN_RETURN_IF_ERROR(check_outputs(work));  // once more: only the readers know all files of a folder
  DRAGOMAN_RETURN_IF_ERROR(add_provenance(work));
  add_names(work);
  return Status();
}

Status write(Conversion& work, OutputFile& file) {
  DRAGOMAN_ASSIGN_OR_RETURN(const WrittenSizes sizes, write_model(file, *work.model, work.store));
  work.report.num_tensors = work.store.tensors().size();
  work.report.model_bytes = sizes.model_bytes;
  work.report.payload_bytes = sizes.payload_bytes;
  work.report.file_bytes = sizes.file_bytes;
  return file.flush();
}

// A file that the library would refuse gets no name.
Status check_readable(const OutputFile& file, const std::string& name) {
  const Error error = Model::verify(file.temporary_path());
  if (error.ok()) return Status();
  const std::string_view message = error.message();
  const std::string temporary = file.temporary_path() + ": ";
  return Status::error(static_cast<Code>(error.code()), "%.100s: not written, since it could not be opened: %s",
                       name.c_str(), message.data() + (message.starts_with(temporary) ? temporary.size() : 0));
}

// Writes the file; with a calibration, it gets its name only when it has lost no more than allowed.
Status finish(Conversion& work, const Calibration* calibration) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::create(work.options.output));
  DRAGOMAN_RETURN_IF_ERROR(write(work, *file));
  DRAGOMAN_RETURN_IF_ERROR(check_readable(*file, work.options.output));
  if (calibration == nullptr) return file->commit();
  DRAGOMAN_ASSIGN_OR_RETURN(work.report.loss, measure_loss(file->temporary_path(), *calibration));
  if (work.options.max_loss.has_value() && work.report.loss->loss() > *work.options.max_loss) {
    return Status::error(Code::kNumerical, "%s: loses %.2f points of chrF to f32, at most %g are allowed",
                         work.options.output.c_str(), work.report.loss->loss(), *work.options.max_loss);
  }
  return file->commit();
}

// The model in f32, in a temporary file that goes away, and what it does with the calibration text.
Result<Calibration> calibrate_in_f32(const ConvertOptions& given, Importance* importance) {
  ConvertOptions options = given;
  options.weight_type = WeightType::kF32;
  options.weight_rules.clear();
  Conversion work(options, nullptr);
  DRAGOMAN_RETURN_IF_ERROR(prepare(work));
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::create(options.output));
  DRAGOMAN_RETURN_IF_ERROR(write(work, *file));
  DRAGOMAN_RETURN_IF_ERROR(check_readable(*file, options.output));
  DRAGOMAN_ASSIGN_OR_RETURN(Calibration calibration, calibrate(file->temporary_path(), options.calibration_text,
                                                               {options.source_language, options.target_language}));
  *importance = weight_importance(*work.model, calibration.moments);
  return calibration;
}

}  // namespace

Conversion::Conversion(const ConvertOptions& given, const Importance* importance)
    : options(given),
      rules(given.weight_type, given.weight_rules),
      weights(&store, &report, &rules, importance),
      model(std::make_unique<schema::ModelT>()) {}
Conversion::~Conversion() = default;

Result<ConvertReport> convert(const ConvertOptions& options, std::vector<std::string>* problems) {
  Conversion plain(options, nullptr);
  const Status prepared = prepare(plain);
  if (problems != nullptr) *problems = plain.problems.items();
  if (!prepared.ok()) return prepared;
  if (options.calibration_text.empty()) {
    DRAGOMAN_RETURN_IF_ERROR(finish(plain, nullptr));
    return std::move(plain.report);
  }
  Importance importance;
  DRAGOMAN_ASSIGN_OR_RETURN(const Calibration calibration, calibrate_in_f32(options, &importance));
  Conversion calibrated(options, &importance);
  DRAGOMAN_RETURN_IF_ERROR(prepare(calibrated));
  DRAGOMAN_RETURN_IF_ERROR(finish(calibrated, &calibration));
  return std::move(calibrated.report);
}

}  // namespace dragoman::converter
