// PyTorch checkpoints of both kinds, as torch.save writes them.
// Neighbours: tests of the pickle reader and of folders with pytorch_model.bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::test {

// `type` without "Storage": Float, Half, BFloat16, Double, Long …
struct TorchStorage {
  std::string type = "Float";
  uint64_t elements = 0;
  std::vector<std::byte> bytes;
};

// A view into a storage, in elements.
struct TorchView {
  std::string name;
  size_t storage = 0;
  uint64_t offset = 0;
  std::vector<uint64_t> shape, strides;
  bool parameter = false;  // wrapped as torch.nn.Parameter pickles itself
};

std::vector<std::byte> torch_checkpoint(const std::vector<TorchStorage>& storages, const std::vector<TorchView>& views,
                                        bool legacy);

}  // namespace dragoman::test
