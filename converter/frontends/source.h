// The neutral description of a trained model: options and named tensors, whoever trained it and however it was stored.
// Neighbours: frontends/ fill it, families/ give it meaning, graph/ reads the tensors' elements.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "converter/formats/yaml_options.h"

namespace dragoman::converter {

// kOther: stored, but of a type that no weight has.
enum class SourceType : uint8_t { kF32, kF16, kBF16, kF64, kI8, kI16, kOther };

// One trained array, borrowed from what Source::storage keeps alive. value = element * scale.
struct SourceTensor {
  std::string name;
  SourceType type = SourceType::kF32;
  std::vector<uint64_t> shape;      // as its framework writes it
  bool transposed = false;          // the last two dimensions lie swapped: element (a, b) of [A, B] at b * A + a
  float scale = 1.0f;               // 1 unless the elements are integers
  std::vector<float> row_scales;    // integers only: one a row of the first dimension, instead of `scale`; or empty
  std::span<const std::byte> data;  // unaligned, at least the elements

  uint64_t size() const;
  // "[256, 1536]".
  std::string shape_text() const;
};

// A trained model, ready for its family. Tensors are sorted by name and unique.
struct Source {
  std::string framework;  // "marian", "hugging-face", "ctranslate2"
  Options options;
  Options generation;              // how to decode, where the framework keeps it apart
  std::vector<std::string> notes;  // what the reader decided between contradictions, for the report
  std::vector<SourceTensor> tensors;
  std::vector<std::string> ignored;                  // stored tensors that by design have no part in the computation
  std::vector<std::shared_ptr<const void>> storage;  // keeps the tensors' bytes alive

  // Null when there is none of that name.
  const SourceTensor* find(const std::string& name) const;
};

// Whether two tensors have equal shapes and values stored alike.
bool same_tensor(const SourceTensor& a, const SourceTensor& b);

// Element `index` (in storage order) as a float, without its scale.
float source_element(const SourceTensor& tensor, uint64_t index);

// IEEE 754 binary16 to binary32, exact.
float half_to_float(uint16_t half);

}  // namespace dragoman::converter
