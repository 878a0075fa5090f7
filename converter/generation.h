// How to decode when the caller does not say: a framework's settings in the terms of the model file.
// Neighbours: conversion_text.cc stores the result; frontends/ keep the settings in Source::generation.
#pragma once

#include <memory>

#include "converter/families/family.h"
#include "converter/report.h"

namespace dragoman::schema {
struct GenerationT;
}

namespace dragoman::converter {

// Hugging Face's settings (generation_config.json over config.json) with its defaults. What is not supported or not a
// number goes to `problems`, decisions to the report's notes.
std::unique_ptr<schema::GenerationT> hugging_face_generation(const Source& source, const NetworkFacts& facts,
                                                             ConvertReport* report, Problems* problems);

}  // namespace dragoman::converter
