// Makes small Marian students with made-up weights: model container, vocabulary, shortlist, decoder configuration.
// Neighbours: tests of the converter and of everything that needs a converted model of a chosen shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::test {

enum class MarianTying { kAll, kInputs, kOutput, kNone };
enum class MarianWeights { kInt8, kInt16, kFloat };

// The shape and options of a model. Process strings and option values are Marian's own.
struct MarianModelOptions {
  uint32_t width = 24;
  uint32_t num_heads = 4;
  uint32_t ffn_width = 40;
  uint32_t ffn_depth = 2;
  uint32_t encoder_depth = 2;
  uint32_t decoder_depth = 2;
  uint32_t source_vocabulary = 64;
  uint32_t target_vocabulary = 64;  // must equal the source's when inputs are tied
  MarianTying tying = MarianTying::kAll;
  MarianWeights weights = MarianWeights::kInt8;
  std::string preprocess;
  std::string postprocess = "dan";
  std::string postprocess_embedding = "d";
  std::string postprocess_top;
  std::string activation = "relu";
  bool project_attention = true;
  bool output_bias = true;
  uint32_t trained_positions = 0;  // rows of Wpos; 0: sinusoids
  std::vector<uint32_t> tied_layers;
  float output_bias_middle = 0;  // e.g. -50: all scores far below zero
  uint64_t seed = 1;
  std::vector<std::pair<std::string, std::string>> options;  // added to model.yml, or replacing a value there
};

// One trained parameter. `values` are what the stored form means, in Marian's logical order [rows, columns].
struct MarianParameter {
  std::string name;
  uint32_t rows = 0;
  uint32_t columns = 0;
  std::vector<float> values;
  MarianWeights stored = MarianWeights::kFloat;
  float multiplier = 0;  // of the integer forms
};

struct MarianModel {
  std::string options;  // text of model.yml
  std::vector<MarianParameter> parameters;

  // Fails the program when there is none.
  const MarianParameter& find(const std::string& name) const;
};

// The same options give the same numbers on every machine.
MarianModel make_marian_model(const MarianModelOptions& options);

// One stored item of the container, for files that no trainer would write.
struct MarianRawItem {
  std::string name;
  uint64_t type = 0x404;
  std::vector<int32_t> shape;
  std::vector<std::byte> data;
};

std::vector<MarianRawItem> marian_items(const MarianModel& model);
std::vector<std::byte> marian_container(const std::vector<MarianRawItem>& items);

// A unigram model of `num_pieces` (at least 32) pieces: </s> = 0, <unk> = 1, then the space, letters, and made-up
// syllables. `reversed` gives the same pieces other ids.
std::vector<std::byte> make_sentencepiece_model(uint32_t num_pieces, bool reversed = false);

// A shortlist of up to `best` ids for each source id; its first `first` ids are always allowed.
std::vector<std::byte> make_marian_shortlist(uint32_t source_vocabulary, uint32_t target_vocabulary, uint32_t first,
                                             uint32_t best);

void write_bytes(const std::string& path, std::span<const std::byte> bytes);
std::vector<std::byte> read_bytes(const std::string& path);

// Writes model.abcd.bin, the vocabularies (vocab.abcd.spm, or srcvocab/trgvocab when sizes differ), lex.abcd.bin and
// config.yml into `folder`, which must exist.
void write_marian_folder(const std::string& folder, const MarianModelOptions& options);

}  // namespace dragoman::test
