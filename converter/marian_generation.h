// How a Marian model decodes when the caller does not say: from the decoder's configuration and the model's options.
// Neighbours: conversion_text.cc calls it; generation.h does the same for Hugging Face.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "converter/formats/yaml_options.h"
#include "converter/report.h"

namespace dragoman::schema {
struct GenerationT;
}

namespace dragoman::converter {

// Both borrowed.
struct MarianSettings {
  const Options& decoder;   // of config.yml; empty: none
  const std::string& path;  // its name, for messages
  int32_t alignment_layer;  // NetworkFacts'
};

// Reads `beam-size`, `normalize`, `word-penalty` and `max-length-factor`, and sets which head shows the alignment; what
// is not given keeps the value it has. Errors: kUnsupported, naming the options that are out of range.
Status read_marian_generation(const MarianSettings& settings, schema::GenerationT* generation, ConvertReport* report);

}  // namespace dragoman::converter
