// The converter's one public header: trained weights in, one .drg file out; and a bare tokenizer for tools.
// Neighbours: the CLI's convert and tokenize commands call it; everything else under converter/ stays inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// How a weight matrix is stored. kInt8: symmetric, one scale a row, and int8 weights keep their integers; kInt4: blocks
// of 32 columns with a scale each, where the columns divide into such blocks, else kInt8; kSource: as trained, without
// loss: int8 and f16 stay what they are, f16 only where no factor is folded in, everything else becomes f32.
enum class WeightType : uint8_t { kInt8, kInt4, kF16, kF32, kSource };

// "int8", "int4", "f16", "f32", "source".
const char* weight_type_name(WeightType type);

// Chooses the weight matrices whose names in the output match `pattern`: '*' stands for any characters, '?' for one.
struct WeightRule {
  std::string pattern;
  WeightType type = WeightType::kInt8;
};

// What to convert and where to put it. Either `input` names a folder in which the files are found by their names
// (model*.bin, vocab*.spm or vocab*.yml: one, or a source and a target, lex*.bin, config*.yml), or the files are named
// one by one; a named file always wins over a found one.
struct ConvertOptions {
  std::string input;
  std::string model;
  std::string source_vocabulary;
  std::string target_vocabulary;  // empty: the source vocabulary serves both sides
  std::string shortlist;
  std::string decoder_config;
  bool use_shortlist = true;    // false: leave a found shortlist out
  std::string output;           // the .drg file; replaced in one step, or left as it was when anything fails
  std::string source_language;  // BCP 47; empty: guessed from names like model.enpt.bin
  std::string target_language;
  std::string name;                            // empty: the output's name without its extension
  std::string licence;                         // text or SPDX expression
  WeightType weight_type = WeightType::kInt8;  // of weights that no rule names
  std::vector<WeightRule> weight_rules;        // later ones win
  uint32_t max_positions = 1024;  // rows of the position table: longest sentence, in tokens, on either side
  // A file of text, one input a line: chooses scales by it and measures what the stored weights cost (LossReport).
  std::string calibration_text;
  std::optional<double> max_loss;  // refuses a conversion with a greater LossReport::loss(); needs calibration_text
  std::string report;  // a file that the caller writes afterwards: refused in the place of one that is read or written
};

// Applies "TYPE" (of all weights) or "PATTERN=TYPE" (one more rule); TYPE as weight_type_name has it, without "source".
// kInvalidArgument saying what is expected.
Status add_weight_choice(const std::string& text, ConvertOptions* options);

// One weight that was stored in a type other than its own.
struct QuantizedWeight {
  std::string name;
  uint64_t rows = 0;
  uint64_t columns = 0;
  double signal_to_noise_db = 0;  // 10 log10(sum v^2 / sum (v - v')^2); infinite when exact
  WeightType type = WeightType::kInt8;
  // The same of the layer's outputs on the calibration text, inputs taken as uncorrelated; absent without calibration.
  std::optional<double> output_signal_to_noise_db;
};

// What the stored weights cost on the calibration text, against the same model in f32.
struct LossReport {
  uint64_t lines = 0;
  uint64_t tokens = 0;  // of the f32 translations
  // |log-probability - that of f32| of each of those tokens when they are forced on the model.
  double max_log_prob_drift = 0;
  double mean_log_prob_drift = 0;
  double chrf = 100;  // of the translations, with those of f32 as reference; 0 to 100

  double loss() const { return 100 - chrf; }
};

// What a conversion did.
struct ConvertReport {
  std::string model;   // path read
  std::string output;  // path written
  std::string family;
  std::string architecture;  // one line: depths, width, heads ...
  uint64_t num_source_tensors = 0;
  uint64_t num_ignored_tensors = 0;  // stored, but without a part in the computation
  uint64_t num_tensors = 0;          // in the .drg
  uint64_t model_bytes = 0;          // graph, tokenizer tables' directory, metadata
  uint64_t payload_bytes = 0;
  uint64_t file_bytes = 0;
  std::vector<std::string> fused;  // "encoder.layer1.self: Wq, Wk, Wv -> one [768, 256]"
  std::vector<QuantizedWeight> quantized;
  uint64_t num_kept_int8 = 0;      // weights whose integers were kept as they are
  std::optional<LossReport> loss;  // with a calibration text
  std::vector<std::string> notes;  // defaults taken, things left out

  // Several lines for people, ending in a newline; of the quantized weights the worst five, or all.
  std::string text(bool all_weights = false) const;
  // Everything, as a JSON object.
  std::string json() const;
};

// Converts one model. Blocks; reads the sources through a mapping and never holds the whole payload in memory.
// Errors name the file and the thing in it. When `problems` is given it receives, uncut, every unsupported option and
// every missing or unknown tensor, of which the returned message may only hold the first.
Result<ConvertReport> convert(const ConvertOptions& options, std::vector<std::string>* problems = nullptr);

// A vocabulary file without a network around it, for tools that look at tokenization alone.
class SentencePieceTokenizer {
 public:
  virtual ~SentencePieceTokenizer() = default;

  // Ids of any bytes; no begin or end id is added.
  virtual Result<std::vector<int32_t>> encode(std::string_view text) const = 0;
  // kInvalidArgument for an id outside the vocabulary.
  virtual Result<std::string> decode(const std::vector<int32_t>& ids) const = 0;
  // Piece of an id as the model spells it; empty for an id outside the vocabulary.
  virtual std::string piece(int32_t id) const = 0;
  // What each id of encode(text) stands for: its piece, or the text that the unknown id replaced.
  virtual Result<std::vector<std::string>> surfaces(std::string_view text) const = 0;
  virtual uint32_t num_ids() const = 0;
};

// Reads a `.spm` / `.model` file, a Marian `.yml` vocabulary or a Hugging Face `tokenizer.json`. Errors name the file.
// The result may be shared between threads.
Result<std::unique_ptr<SentencePieceTokenizer>> open_sentencepiece(const std::string& path);

}  // namespace dragoman::converter
