// A `tokenizer.json` of the Hugging Face tokenizers library as plain fields.
// Neighbours: tokenizer_json_rules reads the components' meaning, tokenizer_json_tables makes tables of the vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// A scalar setting of a component.
struct ComponentField {
  bool quoted = false;  // a JSON string
  std::string text;     // true, false, a number, or what the string says
};

// One normalizer, pre-tokenizer or decoder; members of a Sequence stand in its place.
struct TokenizerComponent {
  std::string type;
  std::string path;                              // "pre_tokenizer.pretokenizers[1]"
  std::map<std::string, ComponentField> fields;  // without null; {"pattern": {"Regex": ...}} is "pattern.Regex"
};

struct AddedTokenEntry {
  uint32_t id = 0;
  std::string content;
  bool special = false;
  bool takes_spaces_before = false;
  bool takes_spaces_after = false;
  bool single_word = false;
  bool normalized = false;
};

struct ScoredToken {
  std::string text;
  double score = 0;
};

struct TokenizerJson {
  bool is_unigram = true;                                   // else BPE
  std::vector<ScoredToken> tokens;                          // by id, added tokens included
  std::vector<bool> of_model;                               // by id: the model's own, maybe an added token besides
  std::vector<std::pair<std::string, std::string>> merges;  // BPE
  int64_t unknown_id = -1;                                  // -1: none
  bool byte_fallback = false;
  bool join_unknown = false;
  bool whole_words = false;
  std::vector<AddedTokenEntry> added_tokens;
  std::vector<TokenizerComponent> normalizers;
  std::vector<TokenizerComponent> pre_tokenizers;
  std::vector<TokenizerComponent> decoders;
  std::vector<int32_t> prefix_ids;  // that the post-processor puts before a single text's
  std::vector<int32_t> suffix_ids;  // and after them
};

// kDamaged for what is no such file, naming the place in it ("model.merges[7]"); kUnsupported for another model, a
// model option or post-processor that is not known. Linear; components are not judged.
Result<TokenizerJson> read_tokenizer_json(std::span<const std::byte> file);

}  // namespace dragoman::converter
