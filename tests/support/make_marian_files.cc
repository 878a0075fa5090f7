// Bytes of the made-up students: container, vocabulary, shortlist, folder.
// Neighbours: make_marian_model.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "tests/support/make_marian_model.h"

namespace dragoman::test {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

template <typename T>
void append_integers(const MarianParameter& parameter, bool transposed, Bytes& bytes) {
  for (uint64_t i = 0; i < parameter.values.size(); ++i) {
    const uint64_t row = i % parameter.rows, column = i / parameter.rows;
    const float value = parameter.values[transposed ? row * parameter.columns + column : i];
    append(bytes, static_cast<T>(std::lround(value * parameter.multiplier)));
  }
  append(bytes, parameter.multiplier);
}

MarianRawItem item_of(const MarianParameter& parameter) {
  MarianRawItem item;
  item.name = parameter.name;
  item.shape = {static_cast<int32_t>(parameter.rows), static_cast<int32_t>(parameter.columns)};
  const bool transposed = parameter.name.find("Wemb") == std::string::npos;
  switch (parameter.stored) {
    case MarianWeights::kInt8:
      item.type = 0x4101;
      append_integers<int8_t>(parameter, transposed, item.data);
      break;
    case MarianWeights::kInt16:
      item.type = 0x4102;
      append_integers<int16_t>(parameter, transposed, item.data);
      break;
    case MarianWeights::kFloat:
      for (const float value : parameter.values) append(item.data, value);
      break;
  }
  item.data.resize((item.data.size() + 255) / 256 * 256);
  return item;
}

// Protocol buffer wire format: varints, and fields of wire type 0 (varint), 2 (bytes), 5 (32 bits).
void append_varint(Bytes& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::byte>(value | 0x80));
  bytes.push_back(static_cast<std::byte>(value));
}

void append_number(Bytes& bytes, uint32_t field, uint64_t value) {
  append_varint(bytes, field << 3);
  append_varint(bytes, value);
}

void append_text(Bytes& bytes, uint32_t field, std::span<const std::byte> text) {
  append_varint(bytes, field << 3 | 2);
  append_varint(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}

void append_piece(Bytes& bytes, const std::string& text, float score, uint32_t type) {
  Bytes piece;
  append_text(piece, 1, std::as_bytes(std::span(text)));
  append_varint(piece, 2 << 3 | 5);
  append(piece, score);
  append_number(piece, 3, type);
  append_text(bytes, 1, piece);
}

// The space, the letters, then syllables with and without a space before them.
std::vector<std::string> made_up_pieces(uint32_t count) {
  const std::string space = "\xE2\x96\x81";
  std::vector<std::string> pieces = {space};
  for (char letter = 'a'; letter <= 'z'; ++letter) pieces.emplace_back(1, letter);
  for (uint32_t i = 0; pieces.size() < count; ++i) {
    std::string syllable;
    for (uint32_t rest = i / 2 + 26; rest > 0; rest /= 26) syllable += static_cast<char>('a' + rest % 26);
    pieces.push_back((i % 2 == 0 ? space : "") + syllable);
  }
  pieces.resize(count);
  return pieces;
}

uint64_t shortlist_checksum(const Bytes& bytes, size_t from) {
  uint64_t seed = 0;
  for (size_t at = from; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  return seed;
}

}  // namespace

std::vector<MarianRawItem> marian_items(const MarianModel& model) {
  std::vector<MarianRawItem> items;
  for (const MarianParameter& parameter : model.parameters) items.push_back(item_of(parameter));
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  MarianRawItem options{"special:model.yml", 0x101, {static_cast<int32_t>(model.options.size() + 1)}, {}};
  for (const char c : model.options) options.data.push_back(static_cast<std::byte>(c));
  options.data.push_back(std::byte{0});
  items.push_back(std::move(options));
  return items;
}

std::vector<std::byte> marian_container(const std::vector<MarianRawItem>& items) {
  Bytes bytes;
  append<uint64_t>(bytes, 1);
  append<uint64_t>(bytes, items.size());
  for (const MarianRawItem& item : items) {
    append<uint64_t>(bytes, item.name.size() + 1);
    append<uint64_t>(bytes, item.type);
    append<uint64_t>(bytes, item.shape.size());
    append<uint64_t>(bytes, item.data.size());
  }
  for (const MarianRawItem& item : items) {
    const auto* name = reinterpret_cast<const std::byte*>(item.name.c_str());
    bytes.insert(bytes.end(), name, name + item.name.size() + 1);
  }
  for (const MarianRawItem& item : items) {
    for (const int32_t dimension : item.shape) append(bytes, dimension);
  }
  const uint64_t next = ((bytes.size() + 8) / 256 + 1) * 256;
  append<uint64_t>(bytes, next - bytes.size() - 8);
  bytes.resize(next);
  for (const MarianRawItem& item : items) bytes.insert(bytes.end(), item.data.begin(), item.data.end());
  return bytes;
}

std::vector<std::byte> make_sentencepiece_model(uint32_t num_pieces, bool reversed) {
  Bytes bytes;
  append_piece(bytes, "</s>", 0, 3);
  append_piece(bytes, "<unk>", 0, 2);
  std::vector<std::string> pieces = made_up_pieces(num_pieces - 2);
  if (reversed) std::reverse(pieces.begin(), pieces.end());
  for (const std::string& piece : pieces) append_piece(bytes, piece, piece.size() > 3 ? -4.0f : -6.0f, 1);
  Bytes trainer;
  append_number(trainer, 3, 1);  // unigram
  append_number(trainer, 4, num_pieces);
  append_number(trainer, 40, 1);             // unknown
  append_number(trainer, 41, ~uint64_t{0});  // no begin
  append_number(trainer, 42, 0);             // end
  append_number(trainer, 43, ~uint64_t{0});  // no padding
  append_text(bytes, 2, trainer);
  Bytes normalizer;
  for (const uint32_t field : {3, 4, 5}) append_number(normalizer, field, 1);
  append_text(bytes, 3, normalizer);
  return bytes;
}

std::vector<std::byte> make_marian_shortlist(uint32_t source_vocabulary, uint32_t target_vocabulary, uint32_t first,
                                             uint32_t best) {
  std::vector<uint64_t> offsets = {0};
  std::vector<uint32_t> ids;
  for (uint32_t source = 0; source < source_vocabulary; ++source) {
    std::vector<uint32_t> list;
    for (uint32_t i = 0; i < source % (best + 1); ++i) list.push_back((source * 7 + i * i * 13) % target_vocabulary);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    ids.insert(ids.end(), list.begin(), list.end());
    offsets.push_back(ids.size());
  }
  Bytes bytes;
  append<uint64_t>(bytes, 0xF11A48D5013417F5);
  append<uint64_t>(bytes, 0);
  for (const uint64_t number : {uint64_t{first}, uint64_t{best}, uint64_t{offsets.size()}, uint64_t{ids.size()}}) {
    append(bytes, number);
  }
  for (const uint64_t offset : offsets) append(bytes, offset);
  for (const uint32_t id : ids) append(bytes, id);
  const uint64_t checksum = shortlist_checksum(bytes, 16);
  std::memcpy(bytes.data() + 8, &checksum, sizeof(checksum));
  return bytes;
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_marian_folder(const std::string& folder, const MarianModelOptions& options) {
  write_bytes(folder + "/model.abcd.bin", marian_container(marian_items(make_marian_model(options))));
  const bool shared = options.tying == MarianTying::kAll || options.tying == MarianTying::kInputs;
  if (shared) {
    write_bytes(folder + "/vocab.abcd.spm", make_sentencepiece_model(options.source_vocabulary));
  } else {
    write_bytes(folder + "/srcvocab.abcd.spm", make_sentencepiece_model(options.source_vocabulary));
    write_bytes(folder + "/trgvocab.abcd.spm", make_sentencepiece_model(options.target_vocabulary, true));
  }
  write_bytes(folder + "/lex.abcd.bin",
              make_marian_shortlist(options.source_vocabulary, options.target_vocabulary, 7, 5));
  const std::string config = "beam-size: 1\nmax-length-factor: 2.5\n";
  write_bytes(folder + "/config.yml", std::as_bytes(std::span(config)));
}

}  // namespace dragoman::test
