// A JSON settings file (config.json, generation_config.json) as flat options.
// Neighbours: frontends/hugging_face reads through it; nested values stay JSON text inside their option.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"
#include "converter/formats/yaml_options.h"

namespace dragoman::converter {

// Parses one JSON object of scalars and lists; `name` names the source in messages. Keys whose value is null are left
// out, numbers keep their spelling where it matters (whole numbers stay whole), a key that stands twice is an error.
Result<Options> parse_json_options(std::span<const std::byte> bytes, const std::string& name);

}  // namespace dragoman::converter
