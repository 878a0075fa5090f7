// Layout of a .drg file: header, FlatBuffer, tensors on 64-byte boundaries with zeros between them.
// Neighbours: see model_builder.h; tiny_model.cc fills a builder.
#include "tests/support/model_builder.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "model/checksum.h"
#include "model/file_header.h"

namespace dragoman::test {

namespace {

uint64_t align64(uint64_t n) { return (n + 63) / 64 * 64; }

std::vector<uint8_t> pack(const schema::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace

AlignedBytes::AlignedBytes(size_t size)
    : data_(new (std::align_val_t(64)) std::byte[size == 0 ? 1 : size]()), size_(size) {}

AlignedBytes::AlignedBytes(std::span<const std::byte> copied) : AlignedBytes(copied.size()) {
  if (!copied.empty()) std::memcpy(data_.get(), copied.data(), copied.size());
}

uint32_t ModelBuilder::add_bytes(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape,
                                 std::span<const std::byte> data) {
  const uint32_t index = add_hole(name, type, std::move(shape), data.size());
  model.tensors[index]->checksum = model::fnv1a(data);
  contents_[index].assign(data.begin(), data.end());
  return index;
}

uint32_t ModelBuilder::add_hole(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape,
                                uint64_t bytes) {
  auto tensor = std::make_unique<schema::TensorT>();
  tensor->name = name;
  tensor->type = type;
  tensor->shape = std::move(shape);
  tensor->bytes = bytes;
  model.tensors.push_back(std::move(tensor));
  contents_.emplace_back();
  range_of_.push_back(static_cast<uint32_t>(range_of_.size()));
  return range_of_.back();
}

uint32_t ModelBuilder::add_alias(const std::string& name, schema::TensorType type, std::vector<uint64_t> shape,
                                 uint32_t of) {
  const uint32_t index = add_hole(name, type, std::move(shape), model.tensors[of]->bytes);
  model.tensors[index]->checksum = model.tensors[of]->checksum;
  range_of_[index] = of;
  return index;
}

// SplitMix64 (Steele, Lea, Flood 2014).
uint32_t ModelBuilder::random() {
  random_ += 0x9e3779b97f4a7c15u;
  uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<uint32_t>(z >> 32);
}

uint32_t ModelBuilder::add_int8(const std::string& name, uint64_t rows, uint64_t columns) {
  std::vector<int8_t> elements(rows * columns);
  std::vector<float> scales(rows);
  std::vector<int32_t> sums(rows, 0);
  for (uint64_t r = 0; r < rows; ++r) {
    scales[r] = 0.002f + static_cast<float>(random() % 256) / 65536.0f;
    for (uint64_t c = 0; c < columns; ++c) {
      const int element = static_cast<int>(random() % 255) - 127;
      elements[r * columns + c] = static_cast<int8_t>(element);
      sums[r] += element;
    }
  }
  const uint32_t index = add(name, schema::TensorType::I8, {rows, columns}, elements);
  model.tensors[index]->scales = static_cast<int32_t>(add(name + ".scales", schema::TensorType::F32, {rows}, scales));
  model.tensors[index]->row_sums = static_cast<int32_t>(add(name + ".row_sums", schema::TensorType::I32, {rows}, sums));
  return index;
}

uint32_t ModelBuilder::add_f32(const std::string& name, std::vector<uint64_t> shape, float range, float middle) {
  uint64_t size = 1;
  for (uint64_t d : shape) size *= d;
  std::vector<float> data(size);
  // 1/1024 steps are exact in f32.
  for (float& v : data) v = middle + range * (static_cast<float>(random() % 2049) / 1024.0f - 1.0f);
  return add(name, schema::TensorType::F32, std::move(shape), data);
}

std::vector<std::byte> ModelBuilder::layout() {
  // A zero offset would be left out of the FlatBuffer and change its size between the two passes.
  for (const auto& t : model.tensors) t->offset = 64;
  const uint64_t payload_offset = align64(sizeof(model::FileHeader) + pack(model).size());
  uint64_t end = payload_offset;
  for (size_t i = 0; i < model.tensors.size(); ++i) {
    schema::TensorT& t = *model.tensors[i];
    t.offset = range_of_[i] == i ? align64(end) : model.tensors[range_of_[i]]->offset;
    if (range_of_[i] == i) end = t.offset + t.bytes;
  }
  const std::vector<uint8_t> packed = pack(model);
  model::FileHeader header{};
  std::memcpy(header.magic, model::kMagic, sizeof(header.magic));
  header.byte_order = model::kByteOrder;
  header.revision = 1;
  header.minimum_reader = 1;
  header.model_offset = sizeof(header);
  header.model_bytes = packed.size();
  header.payload_offset = payload_offset;
  header.payload_bytes = end - payload_offset;
  header.file_bytes = end;
  std::vector<std::byte> head(sizeof(header) + packed.size());
  std::memcpy(head.data(), &header, sizeof(header));
  std::memcpy(head.data() + sizeof(header), packed.data(), packed.size());
  return head;
}

AlignedBytes ModelBuilder::finish() {
  const std::vector<std::byte> head = layout();
  model::FileHeader header;
  std::memcpy(&header, head.data(), sizeof(header));
  AlignedBytes file(header.file_bytes);
  std::copy(head.begin(), head.end(), file.span().begin());
  for (size_t i = 0; i < contents_.size(); ++i) {
    const auto place = file.span().subspan(model.tensors[i]->offset);
    std::copy(contents_[i].begin(), contents_[i].end(), place.begin());
  }
  return file;
}

bool ModelBuilder::write(int fd) {
  const std::vector<std::byte> head = layout();
  model::FileHeader header;
  std::memcpy(&header, head.data(), sizeof(header));
  const auto write_at = [fd](std::span<const std::byte> bytes, uint64_t offset) {
    return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes.size());
  };
  bool good = ::ftruncate(fd, static_cast<off_t>(header.file_bytes)) == 0 && write_at(head, 0);
  for (size_t i = 0; good && i < contents_.size(); ++i) good = write_at(contents_[i], model.tensors[i]->offset);
  return good;
}

}  // namespace dragoman::test
