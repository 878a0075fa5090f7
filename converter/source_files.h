// Which files make up a model: named by the caller, by the decoder's own configuration, or found by their names.
// Neighbours: convert.cc reads what this finds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "converter/formats/yaml_options.h"
#include "converter/frontends/argos_package.h"

namespace dragoman::converter {

// Whose layout the files have.
enum class SourceLayout : uint8_t { kMarian, kHuggingFace, kCTranslate2 };

struct SourceFiles {
  SourceLayout layout = SourceLayout::kMarian;
  std::string model;                 // the file of weights, or the folder where it has one layout
  std::vector<std::string> weights;  // every file that the network is read from
  std::string source_vocabulary;
  std::string target_vocabulary;  // equals source_vocabulary when one file serves both sides
  std::string shortlist;          // empty: none
  std::string decoder_config;     // empty: none
  Options decoder_options;        // contents of decoder_config
  std::string source_language;    // empty: unknown
  std::string target_language;
  SourceFolder folder;                          // kCTranslate2: the files of `model`
  std::shared_ptr<const ArgosPackage> package;  // the Argos package in which they are; null: none
};

// Errors name the folder and what is missing or ambiguous, with the candidates.
Result<SourceFiles> find_source_files(const ConvertOptions& options);

}  // namespace dragoman::converter
