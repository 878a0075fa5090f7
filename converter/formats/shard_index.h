// The index beside weights that lie in several files: `model.safetensors.index.json`, `pytorch_model.bin.index.json`.
// Neighbours: frontends/hugging_face reads the files that it names.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "base/status.h"

namespace dragoman::converter {

// Tensor name -> name of a file beside the index. Errors (kDamaged) name the tensor: a file in another folder, a tensor
// that stands there twice; an index without tensors is refused too. `path` names the file in messages.
Result<std::map<std::string, std::string>> read_shard_index(std::span<const std::byte> bytes, const std::string& path);

}  // namespace dragoman::converter
