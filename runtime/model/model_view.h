// Read-only, typed view of a verified model file: the one door to everything that a .drg holds.
// Neighbours: MappedFile supplies the bytes, verify.h checks them, ops/ graph/ engine/ and tokenizer_section read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "base/tensor_view.h"
#include "model/graph_view.h"

namespace dragoman::schema {
struct Model;
struct Graph;
struct Tokenizer;
}  // namespace dragoman::schema

namespace dragoman::model {

// A tensor's directory entry, as inspect prints it.
struct TensorInfo {
  const char* name = "";
  ElementType type = ElementType::kF32;
  uint32_t rank = 0;       // 1 to 4
  uint64_t shape[4] = {};  // the first `rank` count
  uint64_t offset = 0;     // bytes from the start of the file, a multiple of 64
  uint64_t bytes = 0;
  int32_t scales = -1;    // tensor index or -1
  int32_t row_sums = -1;  // tensor index or -1
  uint64_t checksum = 0;  // FNV-1a, 64 bits
};

// How a beam shrinks and ends; the schema and search/beam.cc say what the values mean.
enum class BeamRule : uint8_t { kMarian = 0, kHuggingFace = 1 };
enum class EarlyStopping : uint8_t { kWhenUnlikely = 0, kAtOnce = 1, kWhenImpossible = 2 };

// How to decode when the caller does not say. Ids are inside their vocabularies.
struct GenerationDefaults {
  int32_t end_id = 0;
  int32_t unknown_id = -1;  // or -1: none
  int32_t start_id = -1;    // previous id at position 0; -1: a zero embedding
  std::span<const int32_t> suppressed;
  float max_length_factor = 0;  // finite, above 0, at most kMaxLengthFactor
  bool append_end = true;
  uint32_t beam_size = 1;  // 1 to kMaxBeamSize
  BeamRule beam_rule = BeamRule::kMarian;
  EarlyStopping early_stopping = EarlyStopping::kWhenUnlikely;
  float length_penalty = 1.0f;  // within +-kMaxPenalty
  float word_penalty = 0;       // within +-kMaxPenalty
  uint32_t min_length = 1;
  uint32_t max_length = 0;  // 0: only max_length_factor limits
  bool force_end = false;
  std::span<const int32_t> forced_ids;
  std::span<const int32_t> bad_words;  // sequences, each followed by -1
  float repetition_penalty = 1.0f;     // 1 / kMaxPenalty to kMaxPenalty
  uint32_t no_repeat_ngram = 0;        // 0: no ban
  bool score_over_all = false;
  int32_t alignment_layer = -1;  // cross-attention of the decoder that shows the alignment; -1: of the last layer
  int32_t alignment_head = -1;   // one of that layer; -1: all
  uint32_t num_token_ids = 0;    // target ids below it can be generated; end_id is among them
};
inline constexpr uint32_t kMaxBeamSize = 32;
inline constexpr float kMaxPenalty = 100.0f;
inline constexpr float kMaxLengthFactor = 1000.0f;

// Which target ids a sentence may use. List of source id s: ids[offsets[s] .. offsets[s + 1]), ascending, all below the
// target vocabulary. Empty spans when the model has no shortlist.
struct ShortlistView {
  std::span<const uint32_t> offsets;  // [source vocabulary + 1], from 0 to ids.size(), never falling
  std::span<const uint32_t> ids;
  uint32_t always = 0;    // ids below it are always allowed; at most the target vocabulary
  uint32_t multiple = 1;  // 1 or more
  bool copy_source = false;

  bool present() const { return !offsets.empty(); }
};

// A language that the model reads or writes. Strings are NUL-terminated and never null.
struct LanguageInfo {
  const char* code = "";  // BCP 47
  const char* name = "";  // the model's own code; empty: it has none
  int32_t token = -1;     // id of its token; -1: it has none
};

// Stand for a language's token in LanguageLayoutView's lists.
inline constexpr int32_t kSourceLanguageToken = -1;
inline constexpr int32_t kTargetLanguageToken = -2;
inline constexpr size_t kMaxLayoutIds = 32;

// How a multilingual model is told its languages; the schema says what each field means. Lists hold at most
// kMaxLayoutIds ids or tokens; every language has the token that is asked for, inside its vocabulary.
struct LanguageLayoutView {
  bool present = false;
  std::span<const int32_t> source_prefix;
  std::span<const int32_t> source_suffix;
  std::span<const int32_t> forced_ids;
  bool start_is_target = false;
  int32_t default_source = -1;  // index of a language, or -1
  int32_t default_target = -1;
  bool target_in_text = false;
  size_t num_pairs = 0;  // 0: any source goes with any target
};

// A pair chosen by ids before the text.
struct LanguagePairInfo {
  uint32_t source = 0;  // indices of languages
  uint32_t target = 0;
  std::span<const int32_t> source_prefix;
};

struct OpenOptions {
  // Also reads the whole file: checksums and sums of rows. Costs about 3 ms per MB; off at a normal load.
  bool check_contents = false;
};

// Points into the file's bytes, which must outlive it and everything it returns. Copies freely, owns nothing, never
// allocates after open(); any number of threads may read. What open() accepts needs no further check of indices,
// ranges, types and shapes of tables, except what belongs to one operator (its tensors and widths): that is ops/'s.
class ModelView {
 public:
  // Checks the whole structure and meaning, then returns a view. `file` starts on a 64-byte boundary. Needs temporary
  // memory of at most four bytes per tensor and touches no weight unless asked. Errors: kInvalidArgument, kDamaged,
  // kUnsupported, kNewerRevision, kOutOfMemory.
  static Result<ModelView> open(std::span<const std::byte> file, OpenOptions options = {});

  std::span<const std::byte> file() const { return file_; }
  uint32_t revision() const;
  std::string_view name() const;

  size_t num_tensors() const;
  // index < num_tensors(). Scales and row sums are resolved.
  TensorView tensor(size_t index) const;
  TensorInfo tensor_info(size_t index) const;
  // The tensor's index, or -1. Linear; for tools and tests.
  int32_t find_tensor(std::string_view name) const;

  ProgramView program(ProgramKind kind) const;
  size_t num_states() const;
  StateInfo state(size_t index) const;    // index < num_states()
  uint32_t max_source_positions() const;  // 0: unbounded
  uint32_t max_target_positions() const;  // 0: unbounded
  uint32_t source_vocabulary() const;
  uint32_t target_vocabulary() const;

  GenerationDefaults generation() const;
  ShortlistView shortlist() const;

  // Null when absent; target_tokenizer() falls back to the source's. Only their presence is verified here: read them
  // through tokenizer_section.h.
  const schema::Tokenizer* source_tokenizer() const;
  const schema::Tokenizer* target_tokenizer() const;

  size_t num_source_languages() const;
  LanguageInfo source_language(size_t index) const;  // index < num_source_languages()
  size_t num_target_languages() const;
  LanguageInfo target_language(size_t index) const;
  LanguageLayoutView language_layout() const;
  LanguagePairInfo language_pair(size_t index) const;  // index < language_layout().num_pairs

  // Texts are empty when absent.
  std::string_view licence() const;
  std::string_view family() const;
  std::string_view converter() const;
  std::string_view conversion_options() const;
  size_t num_source_files() const;
  std::string_view source_file(size_t index) const;
  std::string_view source_checksum(size_t index) const;  // SHA-256, hexadecimal; empty when not recorded

  const schema::Model& root() const { return *root_; }

 private:
  ModelView(std::span<const std::byte> file, const schema::Model* root) : file_(file), root_(root) {}

  std::span<const std::byte> file_;
  const schema::Model* root_ = nullptr;
};

}  // namespace dragoman::model
