// A Hugging Face folder that a test changes before it is written: settings and tensors of a tiny model, or made-up
// ones. Neighbours: tests of the readers and families; the recorded changes of tests/data/families/cases.json.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "tests/support/temporary_folder.h"

namespace dragoman::test {

// `values` as they are; write() rounds them to `type`: F32, F16 or BF16.
struct FolderTensor {
  std::string type = "F32";
  std::vector<uint64_t> shape;
  std::vector<float> values;
};

class HuggingFaceFolder {
 public:
  HuggingFaceFolder() = default;
  // Starts from the settings, the F32 tensors and the tokenizer's files of `source`. Fails the test when they cannot be
  // read.
  explicit HuggingFaceFolder(const std::string& source);

  nlohmann::json config = nlohmann::json::object();
  nlohmann::json generation = nlohmann::json::object();  // empty: no such file is written
  std::map<std::string, FolderTensor> tensors;
  std::map<std::string, std::string> tokenizer_files;  // where the contents of each lie

  void add(const std::string& name, std::vector<uint64_t> shape, std::vector<float> values);
  // Sets one row of a matrix to a value.
  void fill_row(const std::string& name, size_t row, float value);
  // Makes a list of changes as tests/parity/families/record_cases.py writes them.
  void apply(const nlohmann::json& edits);

  // Writes the folder anew: one file, or `shards` files of tensors in turn with an index. Returns its path.
  const std::string& write(size_t shards = 1);
  std::string path(const std::string& name) const { return folder_->path(name); }

  // Writes the folder and converts it to out.drg in it.
  Result<converter::ConvertReport> convert(bool keep_float = true);

 private:
  std::unique_ptr<TemporaryFolder> folder_ = std::make_unique<TemporaryFolder>();
};

// The values, rounded to the tensor's type.
std::vector<std::byte> stored_bytes(const FolderTensor& tensor);

// Bytes of a safetensors file.
std::vector<std::byte> safetensors_file(const std::map<std::string, FolderTensor>& tensors);
// Bytes of a pytorch_model.bin, each tensor with a storage of its own.
std::vector<std::byte> torch_checkpoint(const std::map<std::string, FolderTensor>& tensors, bool legacy);

// Rounds to nearest, ties to even.
uint16_t float_to_half(float value);
uint16_t float_to_bfloat16(float value);

}  // namespace dragoman::test
