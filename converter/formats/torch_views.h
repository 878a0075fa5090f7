// The tensors of a PyTorch state dictionary, as its pickle describes them: views into storages that have keys.
// Neighbours: pickle.h reads the bytes, torch_checkpoint finds the storages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "converter/formats/pickle.h"
#include "converter/formats/stored_array.h"

namespace dragoman::converter {

struct TorchStorageKey {
  ArrayType type = ArrayType::kF32;
  std::string key;
  uint64_t elements = 0;
};

// A tensor whose storage is known by key only.
struct TorchView {
  StoredArray array;
  TorchStorageKey storage;
  uint64_t offset = 0;  // elements
};

// Every global that a state dictionary may name.
std::span<const char* const> torch_globals();

// The views of a pickled dictionary of tensors, in its order; their arrays have no data yet. Errors name the tensor.
// `path` names the file in messages.
Result<std::vector<TorchView>> read_torch_views(const Pickle& pickle, const std::string& path);

}  // namespace dragoman::converter
