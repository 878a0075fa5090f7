// Makes small model files in memory, without the converter: what tests of the loader and of everything above it feed
// on. Neighbours: the format is schema/model.fbs and runtime/model/file_header.h; ModelView reads what comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "schema/model_generated.h"

namespace dragoman::test {

// A block on a 64-byte boundary, exactly as long as asked, so that AddressSanitizer sees the first byte read past it.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t size);
  explicit AlignedBytes(std::span<const std::byte> copied);

  std::span<std::byte> span() { return {data_.get(), size_}; }
  std::span<const std::byte> span() const { return {data_.get(), size_}; }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* block) const { ::operator delete[](block, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  size_t size_ = 0;
};

// Collects tensors and a description, then writes the file. Everything in `model` may be changed until finish();
// offsets are filled in there, sizes and checksums when a tensor is added.
class ModelBuilder {
 public:
  schema::ModelT model;

  // Adds a tensor; returns its index. `shape` product x element size must be the size of `data`.
  template <typename T>
  uint32_t add(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape,
               const std::vector<T>& data) {
    return add_bytes(name, type, std::move(shape), std::as_bytes(std::span(data)));
  }
  uint32_t add_bytes(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape,
                     std::span<const std::byte> data);
  // A tensor of `bytes` bytes that finish() and layout() leave as zeros; its checksum is left 0.
  uint32_t add_hole(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape, uint64_t bytes);

  // A second name for the whole range of tensor `of`, with another type or shape if wanted.
  uint32_t add_alias(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape, uint32_t of);

  // Made-up numbers, the same on every machine and in every run: int8 [rows, columns] with scales and row sums,
  // and f32 [shape] within +-range around `middle`.
  uint32_t add_int8(const std::string& name, uint64_t rows, uint64_t columns);
  uint32_t add_f32(const std::string& name, std::vector<uint64_t> shape, float range, float middle = 0.0f);

  // Header and FlatBuffer, with final tensor offsets in `model`; the payload follows at its header's payload_offset.
  std::vector<std::byte> layout();
  // The whole file.
  AlignedBytes finish();
  // The whole file to an open, empty file; holes stay sparse. False when the system refuses.
  bool write(int fd);

 private:
  uint32_t random();

  std::vector<std::vector<std::byte>> contents_;  // one per tensor; empty for a hole
  std::vector<uint32_t> range_of_;                // the tensor whose range it shares; itself if none
  uint64_t random_ = 0x9e3779b97f4a7c15u;
};

// A complete model of the student's kind, about 30 kB: 24 pieces ("</s>", "<unk>", the space, "a" to "t", "."), width
// 16, one encoder layer, one SSRU decoder layer, shortlist, unigram tokenizer. It translates, if not sensibly.
ModelBuilder tiny_model_builder();
AlignedBytes tiny_model();

}  // namespace dragoman::test
