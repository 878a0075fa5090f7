// Hugging Face model folders: config.json, generation_config.json and the weights, in one file or in shards.
// Neighbours: formats/ read the files, the families named in config.json give the tensors meaning.
#pragma once

#include <string>
#include <vector>

#include "converter/frontends/source.h"

namespace dragoman::converter {

// Whether the folder holds a config.json with a model type beside weights that are read here.
bool is_hugging_face_folder(const std::string& folder);

// The files that read_hugging_face_source reads, weights first. kNotFound naming what is missing.
Result<std::vector<std::string>> hugging_face_files(const std::string& folder);

// options are config.json's; generation are its settings for decoding, overridden by generation_config.json, with a
// note for each contradiction. Errors name the file and the tensor or key.
Result<Source> read_hugging_face_source(const std::string& folder);

}  // namespace dragoman::converter
