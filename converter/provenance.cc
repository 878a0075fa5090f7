// The files that a conversion reads and writes: which they are, that they are not the same, their checksums.
// Neighbours: conversion.h.
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "converter/conversion.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/sha256.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr char kConverterName[] = "dragoman converter 0.1";

// The choices that decide which bytes come out of which sources.
std::string options_text(const ConvertOptions& options) {
  std::string text = "weights=";
  text += weight_type_name(options.weight_type);
  for (const WeightRule& rule : options.weight_rules) text += " " + rule.pattern + "=" + weight_type_name(rule.type);
  return text + " max_positions=" + std::to_string(options.max_positions);
}

// Whether both names lead to one file, which need not be there yet.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code failed_one, failed_other;
  const std::filesystem::path first = std::filesystem::weakly_canonical(one, failed_one);
  const std::filesystem::path second = std::filesystem::weakly_canonical(other, failed_other);
  std::error_code none;
  return std::filesystem::equivalent(one, other, none) || (!failed_one && !failed_other && first == second);
}

}  // namespace

std::vector<std::string> source_paths(const Conversion& work) {
  const SourceFiles& files = work.files;
  std::vector<std::string> paths = files.weights;
  if (!files.source_vocabulary.empty()) paths.push_back(files.source_vocabulary);
  if (files.target_vocabulary != files.source_vocabulary) paths.push_back(files.target_vocabulary);
  if (!files.shortlist.empty()) paths.push_back(files.shortlist);
  if (!files.decoder_config.empty()) paths.push_back(files.decoder_config);
  if (!work.options.calibration_text.empty()) paths.push_back(work.options.calibration_text);
  return paths;
}

Status check_outputs(const Conversion& work) {
  const std::string& output = work.options.output;
  const std::string& report = work.options.report;
  if (!report.empty() && same_file(report, output)) {
    return Status::error(Code::kInvalidArgument, "%s: is the output, so it cannot be the report", report.c_str());
  }
  std::vector<std::string> paths = source_paths(work);
  paths.push_back(work.options.input);  // which may be a package
  for (const std::string& path : paths) {
    for (const auto& [written, role] : {std::pair(&output, "output"), std::pair(&report, "report")}) {
      if (written->empty() || !same_file(path, *written)) continue;
      return Status::error(Code::kInvalidArgument, "%s: is read by this conversion, so it cannot be the %s",
                           written->c_str(), role);
    }
  }
  return Status();
}

Status add_provenance(Conversion& work) {
  auto provenance = std::make_unique<schema::ProvenanceT>();
  provenance->family = work.report.family;
  provenance->converter = kConverterName;
  provenance->options = options_text(work.options);
  for (const std::string& path : source_paths(work)) {
    DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
    provenance->source_files.push_back(std::filesystem::path(path).filename().string());
    provenance->source_checksums.push_back(sha256_hex(file->bytes()));
  }
  work.model->provenance = std::move(provenance);
  return Status();
}

}  // namespace dragoman::converter
