// Tables as views, and as tensors of a model file.
// Neighbours: tokenizer_builder.h; runtime/model/tokenizer_section.cc reads what is stored here.
#include "converter/tokenizer_builder.h"
#include "schema/tokenizer_generated.h"

namespace dragoman::converter {
namespace {

// Adds the arrays of one tokenizer; absent ones give -1.
class BlobStore {
 public:
  BlobStore(const std::string& prefix, const AddTensor& add_tensor) : prefix_(prefix), add_tensor_(add_tensor) {}

  template <typename Array>
  uint32_t add(const char* name, ElementType type, const Array& array) const {
    return add_tensor_(prefix_ + "." + name, type, {array.size()}, std::as_bytes(std::span(array)));
  }

  template <typename Array>
  int32_t add_if_any(const char* name, ElementType type, const Array& array) const {
    return array.empty() ? -1 : static_cast<int32_t>(add(name, type, array));
  }

 private:
  const std::string& prefix_;
  const AddTensor& add_tensor_;
};

}  // namespace

TokenizerTables TokenizerData::view() const {
  TokenizerTables tables = options;
  tables.piece_bytes = piece_bytes;
  tables.piece_offsets = piece_offsets;
  tables.piece_scores = piece_scores;
  tables.piece_types = piece_types;
  tables.piece_trie = piece_trie;
  tables.user_trie = user_trie;
  tables.normalizer_trie = normalizer_trie;
  tables.normalizer_bytes = normalizer_bytes;
  tables.byte_pieces = byte_pieces;
  tables.unknown_surface = unknown_surface;
  tables.merges = merges;
  tables.merge_slots = merge_slots;
  tables.added_tokens = added_tokens;
  tables.added_trie = added_trie;
  tables.character_classes = character_classes;
  return tables;
}

void store_tokenizer(const TokenizerData& data, const std::string& prefix, const AddTensor& add_tensor,
                     schema::TokenizerT& out) {
  const BlobStore store(prefix, add_tensor);
  out.kind = static_cast<schema::TokenizerKind>(data.options.kind);
  out.piece_bytes = store.add("pieces", ElementType::kU8, data.piece_bytes);
  out.piece_offsets = store.add("offsets", ElementType::kU32, data.piece_offsets);
  out.piece_scores = store.add("scores", ElementType::kF32, data.piece_scores);
  out.piece_types = store.add("types", ElementType::kU8, data.piece_types);
  out.piece_trie = store.add("trie", ElementType::kU32, data.piece_trie);
  out.user_trie = store.add_if_any("user_trie", ElementType::kU32, data.user_trie);
  out.normalizer_trie = store.add_if_any("normalizer_trie", ElementType::kU32, data.normalizer_trie);
  out.normalizer_bytes = store.add_if_any("normalizer_bytes", ElementType::kU8, data.normalizer_bytes);
  out.byte_pieces = store.add_if_any("byte_pieces", ElementType::kU32, data.byte_pieces);
  out.num_ids = data.options.num_ids;
  out.unknown_id = data.options.unknown_id;
  out.unknown_score = data.options.unknown_score;
  out.unknown_surface = data.unknown_surface;
  out.begin_id = data.options.begin_id;
  out.end_id = data.options.end_id;
  out.pad_id = data.options.pad_id;
  out.add_dummy_prefix = data.options.add_dummy_prefix;
  out.remove_extra_whitespaces = data.options.remove_extra_whitespaces;
  out.escape_whitespaces = data.options.escape_whitespaces;
  out.whitespace_as_suffix = data.options.whitespace_as_suffix;
  out.merges = store.add_if_any("merges", ElementType::kU32, data.merges);
  out.merge_slots = store.add_if_any("merge_slots", ElementType::kU32, data.merge_slots);
  out.added_tokens = store.add_if_any("added_tokens", ElementType::kU32, data.added_tokens);
  out.added_trie = store.add_if_any("added_trie", ElementType::kU32, data.added_trie);
  out.character_classes = store.add_if_any("character_classes", ElementType::kU32, data.character_classes);
  out.space_rules = data.options.space_rules;
  out.word_borders = static_cast<schema::WordBorders>(data.options.word_borders);
  out.leading_spaces = static_cast<schema::LeadingSpaces>(data.options.leading_spaces);
  out.raw_bytes = data.options.raw_bytes;
  out.whole_words = data.options.whole_words;
  out.join_unknown = data.options.join_unknown;
}

}  // namespace dragoman::converter
