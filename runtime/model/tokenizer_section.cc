// Neighbours: tokenizer_section.h; schema/tokenizer.fbs; converter/tokenizer_store.cc writes what is read here.
#include "model/tokenizer_section.h"

#include "schema/tokenizer_generated.h"

namespace dragoman::model {
namespace {

// Reads the tensors of one tokenizer; the first that is wrong makes the status.
class SectionReader {
 public:
  explicit SectionReader(const ModelView& model) : model_(model) {}

  template <typename T>
  std::span<const T> read(const char* field, int64_t index, ElementType type) {
    if (!status_.ok()) return {};
    if (index < 0 || static_cast<uint64_t>(index) >= model_.num_tensors()) {
      status_ = Status::error(Code::kDamaged, "tokenizer: %s is tensor %lld of %zu", field,
                              static_cast<long long>(index), model_.num_tensors());
      return {};
    }
    const TensorView tensor = model_.tensor(static_cast<size_t>(index));
    if (tensor.type != type || tensor.rows != 1) {
      status_ =
          Status::error(Code::kDamaged, "tokenizer: %s, tensor '%.60s', has type %d and %zu rows, expected %d and 1",
                        field, tensor.name, static_cast<int>(tensor.type), tensor.rows, static_cast<int>(type));
      return {};
    }
    return {static_cast<const T*>(tensor.data), tensor.size()};
  }

  // -1 stands for an absent array.
  template <typename T>
  std::span<const T> read_optional(const char* field, int32_t index, ElementType type) {
    return index == -1 ? std::span<const T>() : read<T>(field, index, type);
  }

  const Status& status() const { return status_; }

 private:
  const ModelView& model_;
  Status status_;
};

}  // namespace

Result<TokenizerTables> tokenizer_tables(const ModelView& model, const schema::Tokenizer& tokenizer) {
  SectionReader reader(model);
  TokenizerTables tables;
  tables.kind = static_cast<TokenizerKind>(tokenizer.kind());
  tables.piece_bytes = reader.read<char>("piece_bytes", tokenizer.piece_bytes(), ElementType::kU8);
  tables.piece_offsets = reader.read<uint32_t>("piece_offsets", tokenizer.piece_offsets(), ElementType::kU32);
  tables.piece_scores = reader.read<float>("piece_scores", tokenizer.piece_scores(), ElementType::kF32);
  tables.piece_types = reader.read<uint8_t>("piece_types", tokenizer.piece_types(), ElementType::kU8);
  tables.piece_trie = reader.read<uint32_t>("piece_trie", tokenizer.piece_trie(), ElementType::kU32);
  tables.user_trie = reader.read_optional<uint32_t>("user_trie", tokenizer.user_trie(), ElementType::kU32);
  tables.normalizer_trie =
      reader.read_optional<uint32_t>("normalizer_trie", tokenizer.normalizer_trie(), ElementType::kU32);
  tables.normalizer_bytes =
      reader.read_optional<char>("normalizer_bytes", tokenizer.normalizer_bytes(), ElementType::kU8);
  tables.byte_pieces = reader.read_optional<uint32_t>("byte_pieces", tokenizer.byte_pieces(), ElementType::kU32);
  tables.merges = reader.read_optional<uint32_t>("merges", tokenizer.merges(), ElementType::kU32);
  tables.merge_slots = reader.read_optional<uint32_t>("merge_slots", tokenizer.merge_slots(), ElementType::kU32);
  tables.added_tokens = reader.read_optional<uint32_t>("added_tokens", tokenizer.added_tokens(), ElementType::kU32);
  tables.added_trie = reader.read_optional<uint32_t>("added_trie", tokenizer.added_trie(), ElementType::kU32);
  tables.character_classes =
      reader.read_optional<uint32_t>("character_classes", tokenizer.character_classes(), ElementType::kU32);
  DRAGOMAN_RETURN_IF_ERROR(reader.status());
  if (const auto* surface = tokenizer.unknown_surface(); surface != nullptr) {
    tables.unknown_surface = {surface->c_str(), surface->size()};
  }
  tables.unknown_score = tokenizer.unknown_score();
  tables.num_ids = tokenizer.num_ids();
  tables.unknown_id = tokenizer.unknown_id();
  tables.begin_id = tokenizer.begin_id();
  tables.end_id = tokenizer.end_id();
  tables.pad_id = tokenizer.pad_id();
  tables.add_dummy_prefix = tokenizer.add_dummy_prefix();
  tables.remove_extra_whitespaces = tokenizer.remove_extra_whitespaces();
  tables.escape_whitespaces = tokenizer.escape_whitespaces();
  tables.whitespace_as_suffix = tokenizer.whitespace_as_suffix();
  tables.space_rules = tokenizer.space_rules();
  tables.word_borders = static_cast<WordBorders>(tokenizer.word_borders());
  tables.leading_spaces = static_cast<LeadingSpaces>(tokenizer.leading_spaces());
  tables.raw_bytes = tokenizer.raw_bytes();
  tables.whole_words = tokenizer.whole_words();
  tables.join_unknown = tokenizer.join_unknown();
  return tables;
}

}  // namespace dragoman::model
