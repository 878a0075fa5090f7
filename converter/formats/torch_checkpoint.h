// Reader of PyTorch checkpoints (`pytorch_model.bin`): the zip form and the older form of pickles one after another.
// Neighbours: pickle and zip_archive below it, frontends/hugging_face above. It builds tensors and nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/stored_array.h"

namespace dragoman::converter {

// Every tensor of the checkpoint's dictionary, sorted by name; their data point into `file`. Tensors may share storage
// (tied weights) and need not be contiguous. Errors: kUnsupported naming a global other than those that tensors need,
// or an element type; kDamaged naming the tensor that reaches outside its storage.
Result<std::vector<StoredArray>> read_torch_checkpoint(std::span<const std::byte> file, const std::string& path);

}  // namespace dragoman::converter
