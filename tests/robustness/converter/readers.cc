// Neighbours: see readers.h.
#include "tests/robustness/converter/readers.h"

#include <cstring>
#include <string>

#include "converter/formats/ctranslate2_model.h"
#include "converter/formats/json_options.h"
#include "converter/formats/json_vocabulary.h"
#include "converter/formats/marian_vocab.h"
#include "converter/formats/npy.h"
#include "converter/formats/safetensors.h"
#include "converter/formats/sentencepiece_model.h"
#include "converter/formats/shard_index.h"
#include "converter/formats/torch_checkpoint.h"
#include "converter/formats/zip_archive.h"
#include "converter/frontends/array_tensor.h"
#include "tests/support/make_torch_checkpoint.h"
#include "tests/support/make_zip.h"

namespace dragoman::test {
namespace {

using converter::StoredArray;

volatile float sink = 0;

// Looks at the first and the last element of each array, so that a span outside the file would show.
bool use(Result<std::vector<StoredArray>> arrays) {
  if (!arrays.ok()) return false;
  converter::Source source;
  converter::add_arrays(std::move(arrays.value()), &source);
  for (const converter::SourceTensor& tensor : source.tensors) {
    if (tensor.size() == 0) continue;
    sink = source_element(tensor, 0) + source_element(tensor, tensor.size() - 1);
  }
  return true;
}

std::string text_of(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

std::vector<std::byte> floats(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// ---- safetensors ----------------------------------------------------------------------------------------------------

bool read_safetensors(std::span<const std::byte> file) { return use(converter::read_safetensors(file, "f")); }

FileBytes with_header(const std::string& header, size_t data_bytes) {
  const uint64_t length = header.size();
  FileBytes file(sizeof(length) + header.size() + data_bytes);
  std::memcpy(file.data(), &length, sizeof(length));
  std::memcpy(file.data() + sizeof(length), header.data(), header.size());
  return file;
}

std::vector<FileBytes> safetensors_seeds() {
  return {with_header(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},)"
                      R"("a":{"data_offsets":[0,8],"shape":[1,2],"dtype":"F32"},)"
                      R"("s":{"dtype":"BF16","shape":[],"data_offsets":[12,14]}}  )",
                      14),
          with_header("{}", 0)};
}

// ---- PyTorch --------------------------------------------------------------------------------------------------------

bool read_torch(std::span<const std::byte> file) { return use(converter::read_torch_checkpoint(file, "f")); }

std::vector<FileBytes> torch_seeds() {
  const std::vector<TorchStorage> storages = {{"Float", 6, floats(6)}, {"Half", 4, floats(2)}};
  const std::vector<TorchView> views = {
      {"weight", 0, 0, {2, 3}, {3, 1}, false}, {"turned", 0, 0, {3, 2}, {1, 3}, true}, {"half", 1, 1, {3}, {1}, false}};
  return {torch_checkpoint(storages, views, false), torch_checkpoint(storages, views, true)};
}

// ---- zip and NumPy --------------------------------------------------------------------------------------------------

std::string npy(const std::string& header, size_t data_bytes) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(data_bytes, 'x');
}

bool read_npy(std::span<const std::byte> file) {
  auto array = converter::read_npy(file, "a");
  if (!array.ok()) return false;
  std::vector<StoredArray> arrays;
  arrays.push_back(std::move(array.value()));
  return use(std::move(arrays));
}

std::vector<FileBytes> npy_seeds() {
  return {bytes_of_text(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24)),
          bytes_of_text(npy("{'descr': '|i1', 'fortran_order': True, 'shape': (5,), }", 5))};
}

bool read_zip(std::span<const std::byte> file) {
  const auto archive = converter::ZipArchive::open(file, "f");
  if (!archive.ok()) return false;
  bool all = true;
  for (const converter::ZipEntry& entry : archive.value().entries()) {
    size_t unpacked = 0;
    const Status status = archive.value().unpack(entry, [&unpacked](std::span<const std::byte> piece) {
      unpacked += piece.size();
      return Status();
    });
    all &= status.ok() && unpacked == entry.bytes && archive.value().read(entry).ok();
  }
  return all;
}

std::vector<FileBytes> zip_seeds() {
  return {zip_file({{"a/metadata.json", bytes_of_text("{}"), true}, {"a/model/model.bin", floats(50), true}}),
          zip_file({{"stored", floats(3)}, {"large", floats(20), true, false, true}})};
}

// ---- CTranslate2 ----------------------------------------------------------------------------------------------------

bool read_ctranslate2(std::span<const std::byte> file) {
  auto model = converter::read_ctranslate2_model(file, "f");
  return model.ok() && use(std::move(model.value().variables));
}

template <typename T>
void put(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void put_name(std::string* out, const std::string& name) {
  put(out, static_cast<uint16_t>(name.size() + 1));
  out->append(name.c_str(), name.size() + 1);
}

std::vector<FileBytes> ctranslate2_seeds() {
  std::string file;
  put<uint32_t>(&file, 6);
  put_name(&file, "TransformerSpec");
  put<uint32_t>(&file, 7);
  put<uint32_t>(&file, 2);
  put_name(&file, "a/weight");
  put<uint8_t>(&file, 2);
  put<uint32_t>(&file, 2);
  put<uint32_t>(&file, 3);
  put<uint8_t>(&file, 1);
  put<uint32_t>(&file, 6);
  file += "abcdef";
  put_name(&file, "a/flag");
  put<uint8_t>(&file, 0);
  put<uint8_t>(&file, 1);
  put<uint32_t>(&file, 1);
  file += "\x01";
  put<uint32_t>(&file, 1);
  put_name(&file, "b/weight");
  put_name(&file, "a/weight");
  return {bytes_of_text(file)};
}

// ---- JSON, YAML, SentencePiece --------------------------------------------------------------------------------------

bool read_options(std::span<const std::byte> file) { return converter::parse_json_options(file, "f").ok(); }

std::vector<FileBytes> options_seeds() {
  return {bytes_of_text(R"({"model_type": "marian", "d_model": 512, "x": [1, 2.5, null], "y": {"z": true}})")};
}

bool read_vocabulary(std::span<const std::byte> file) { return converter::read_json_vocabulary(file, "f").ok(); }

std::vector<FileBytes> vocabulary_seeds() { return {bytes_of_text(R"({"</s>": 0, "<unk>": 1, "a": 2})")}; }

bool read_index(std::span<const std::byte> file) { return converter::read_shard_index(file, "f").ok(); }

std::vector<FileBytes> index_seeds() {
  return {bytes_of_text(R"({"metadata": {"total_size": 8}, "weight_map": {"a": "model-1.bin", "b": "model-2.bin"}})")};
}

bool read_yaml(std::span<const std::byte> file) { return converter::read_marian_vocab(text_of(file)).ok(); }

std::vector<FileBytes> yaml_seeds() { return {bytes_of_text("</s>: 0\n<unk>: 1\n\"\\x85\": 2\n? 'a'\n: 3\n")}; }

bool read_pieces(std::span<const std::byte> file) { return converter::read_sentencepiece_model(file).ok(); }

std::vector<FileBytes> piece_seeds() {
  std::string file;
  for (const char* piece : {"<unk>", "<s>", "</s>", "ab", "a", "b"}) {
    std::string body = "\x0a";
    body += static_cast<char>(std::strlen(piece));
    body += piece + std::string("\x15\x00\x00\x80\xbf", 5);
    body += std::string(piece) == "<unk>" ? std::string("\x18\x02") : piece[0] == '<' ? std::string("\x18\x03") : "";
    file += std::string("\x0a") + static_cast<char>(body.size()) + body;
  }
  file += std::string("\x12\x02\x18\x01", 4);
  return {bytes_of_text(file)};
}

constexpr Reader kReaders[] = {{"safetensors", read_safetensors, safetensors_seeds},
                               {"torch", read_torch, torch_seeds},
                               {"npy", read_npy, npy_seeds},
                               {"zip", read_zip, zip_seeds},
                               {"ctranslate2", read_ctranslate2, ctranslate2_seeds},
                               {"options", read_options, options_seeds},
                               {"vocabulary", read_vocabulary, vocabulary_seeds},
                               {"index", read_index, index_seeds},
                               {"yaml", read_yaml, yaml_seeds},
                               {"sentencepiece", read_pieces, piece_seeds}};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

}  // namespace dragoman::test
