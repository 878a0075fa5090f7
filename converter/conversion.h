// What one conversion carries along, and the steps that have files of their own.
// Neighbours: convert.cc calls them one after another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "converter/families/family.h"
#include "converter/source_files.h"

namespace dragoman::schema {
struct ModelT;
}

namespace dragoman::converter {

struct Conversion {
  // Both are borrowed; `importance` may be null.
  Conversion(const ConvertOptions& given, const Importance* importance);
  ~Conversion();

  const ConvertOptions& options;
  SourceFiles files;
  Source source;
  TensorStore store;
  ConvertReport report;
  Problems problems;
  WeightRules rules;
  Weights weights;
  GraphBuilder graph;
  NetworkFacts facts;
  std::vector<int32_t> source_prefix;  // ids before a text's, and after them: where the vocabulary says
  std::vector<int32_t> source_suffix;
  std::unique_ptr<schema::ModelT> model;
};

// Tokenizers, settings for decoding, languages and the shortlist, whatever the source's layout. After the network.
Status add_text(Conversion& work);

// Every file that the conversion reads, as far as it is known by now.
std::vector<std::string> source_paths(const Conversion& work);

// The files that are written must not take the place of what the model is made of, nor of one another, whatever names
// lead there.
Status check_outputs(const Conversion& work);

// Names and checksums of the files, and the choices that decide which bytes come out of them.
Status add_provenance(Conversion& work);

}  // namespace dragoman::converter
