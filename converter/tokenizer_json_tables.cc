// Neighbours: tokenizer_json_tables.h.
#include "converter/tokenizer_json_tables.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "converter/byte_characters.h"
#include "converter/double_array_builder.h"
#include "converter/formats/tokenizer_json.h"
#include "converter/merge_slots.h"
#include "converter/tokenizer_json_rules.h"
#include "converter/unicode_rules.h"

namespace dragoman::converter {
namespace {

using Keys = std::vector<std::pair<std::string, uint32_t>>;

constexpr double kUnknownPenalty = 10.0;  // kUnkPenalty of both libraries
constexpr std::string_view kMarker = "\xE2\x96\x81";

class TablesBuilder {
 public:
  TablesBuilder(TokenizerJson json, TextRules rules, Problems* problems)
      : json_(std::move(json)), rules_(std::move(rules)), problems_(problems) {}

  Result<JsonVocabulary> build(const std::function<bool(const std::string&)>& is_control) {
    set_options();
    set_types(is_control);
    DRAGOMAN_RETURN_IF_ERROR(add_pieces());
    DRAGOMAN_RETURN_IF_ERROR(find_bytes());
    DRAGOMAN_RETURN_IF_ERROR(check_unknown());
    DRAGOMAN_RETURN_IF_ERROR(build_piece_trie());
    DRAGOMAN_RETURN_IF_ERROR(add_added_tokens());
    DRAGOMAN_RETURN_IF_ERROR(add_merges());
    DRAGOMAN_RETURN_IF_ERROR(split_charsmap(rules_.charsmap, data()));
    DRAGOMAN_RETURN_IF_ERROR(rules_.rules.store(&data()));
    if (data().options.word_borders == WordBorders::kCharacterClasses) data().character_classes = character_classes();
    out_.prefix_ids = json_.prefix_ids;
    out_.suffix_ids = json_.suffix_ids;
    return std::move(out_);
  }

 private:
  TokenizerData& data() { return out_.data; }
  bool raw() const { return rules_.options.raw_bytes; }

  void set_options() {
    TokenizerTables& options = data().options;
    options = rules_.options;
    options.kind = json_.is_unigram ? TokenizerKind::kUnigram : TokenizerKind::kRankedBpe;
    options.num_ids = static_cast<uint32_t>(json_.tokens.size());
    options.unknown_id = static_cast<int32_t>(json_.unknown_id);
    options.join_unknown = json_.join_unknown;
    options.whole_words = json_.whole_words;
    if (!json_.is_unigram) return;
    if (raw()) problems_->add("pre_tokenizer: ByteLevel with a Unigram model is not supported");
    double lowest = std::numeric_limits<double>::max();
    for (size_t id = 0; id < json_.tokens.size(); ++id) {
      if (json_.of_model[id]) lowest = std::min(lowest, json_.tokens[id].score);
    }
    options.unknown_score = static_cast<float>(lowest - kUnknownPenalty);
  }

  void set_types(const std::function<bool(const std::string&)>& is_control) {
    types_.assign(json_.tokens.size(), PieceType::kNormal);
    for (size_t id = 0; id < types_.size(); ++id) {
      const std::string& token = json_.tokens[id].text;
      const bool named = token == "</s>" || token == "<s>" || token == "<pad>";
      if (named || (is_control && is_control(token))) types_[id] = PieceType::kControl;
      if (json_.byte_fallback && byte_of_piece(token) >= 0) types_[id] = PieceType::kByte;
    }
    bool unknown_is_hidden = false;
    for (const AddedTokenEntry& token : json_.added_tokens) {
      const bool control = token.special || types_[token.id] == PieceType::kControl;
      types_[token.id] = control ? PieceType::kControl : PieceType::kUser;
      unknown_is_hidden |= token.special && token.id == json_.unknown_id;
    }
    if (json_.unknown_id < 0) return;
    const size_t unknown = static_cast<size_t>(json_.unknown_id);
    types_[unknown] = PieceType::kUnknown;
    if (!unknown_is_hidden) data().unknown_surface = json_.tokens[unknown].text;
  }

  // The spelling under which the runtime knows a token.
  std::string spelling(size_t id) const {
    const std::string& token = json_.tokens[id].text;
    if (!raw() || types_[id] != PieceType::kNormal) return token;
    return bytes_of_token(token).value_or(token);
  }

  Status add_pieces() {
    data().piece_offsets.push_back(0);
    for (size_t id = 0; id < json_.tokens.size(); ++id) {
      const std::string piece = spelling(id);
      if (piece.empty() || piece.size() > kMaxPieceBytes) {
        return Status::error(Code::kDamaged, "token %zu has %zu bytes, expected 1 to %zu", id, piece.size(),
                             kMaxPieceBytes);
      }
      data().piece_bytes += piece;
      data().piece_offsets.push_back(static_cast<uint32_t>(data().piece_bytes.size()));
      data().piece_scores.push_back(static_cast<float>(json_.tokens[id].score));
      data().piece_types.push_back(static_cast<uint8_t>(types_[id]));
      if (types_[id] == PieceType::kControl) add_control(static_cast<int32_t>(id));
    }
    return Status();
  }

  void add_control(int32_t id) {
    const std::string& token = json_.tokens[static_cast<size_t>(id)].text;
    TokenizerTables& options = data().options;
    if (token == "<s>") options.begin_id = id;
    if (token == "</s>") options.end_id = id;
    if (token == "<pad>") options.pad_id = id;
    out_.control.push_back(token);
  }

  // The pieces of single bytes: the first symbols of byte-level BPE, or the way out for unknown characters.
  Status find_bytes() {
    if (!raw() && !json_.byte_fallback) return Status();
    std::vector<uint32_t> pieces(256, UINT32_MAX);
    for (size_t id = 0; id < json_.tokens.size(); ++id) {
      const std::string& token = json_.tokens[id].text;
      const int byte = raw() ? -1 : byte_of_piece(token);
      if (byte >= 0 && types_[id] == PieceType::kByte) pieces[static_cast<size_t>(byte)] = static_cast<uint32_t>(id);
      if (raw() && types_[id] == PieceType::kNormal && spelling(id).size() == 1) {
        pieces[static_cast<unsigned char>(spelling(id)[0])] = static_cast<uint32_t>(id);
      }
    }
    for (size_t byte = 0; byte < pieces.size(); ++byte) {
      if (pieces[byte] != UINT32_MAX) continue;
      if (raw() && json_.unknown_id >= 0) {
        pieces[byte] = static_cast<uint32_t>(json_.unknown_id);
        continue;
      }
      return Status::error(Code::kDamaged, "model.vocab: no token for byte 0x%02X", static_cast<unsigned>(byte));
    }
    data().byte_pieces = std::move(pieces);
    return Status();
  }

  Status check_unknown() const {
    if (json_.unknown_id >= 0 || !out_.data.byte_pieces.empty()) return Status();
    return Status::error(Code::kUnsupported, "model.%s is missing, so what has no token would vanish",
                         json_.is_unigram ? "unk_id" : "unk_token");
  }

  // A piece that the model can find in text. Where text is cut before every U+2581, those with one inside cannot be.
  bool is_matched(size_t id, const std::string& piece) const {
    if (!json_.of_model[id] || piece.find('\0') != std::string::npos) return false;
    if (types_[id] != PieceType::kNormal && types_[id] != PieceType::kUser) return false;
    return rules_.options.word_borders != WordBorders::kBeforeSpace || piece.find(kMarker, 1) == std::string::npos;
  }

  Status build_piece_trie() {
    Keys keys;
    bool knows_space = false;
    for (size_t id = 0; id < json_.tokens.size(); ++id) {
      std::string piece = spelling(id);
      if (!is_matched(id, piece)) continue;
      knows_space |= piece == kMarker;
      keys.emplace_back(std::move(piece), static_cast<uint32_t>(id));
    }
    // Else unknown characters of two words would come out as one.
    if (json_.is_unigram && rules_.options.word_borders == WordBorders::kBeforeSpace && !knows_space) {
      problems_->add("model.vocab: it has no U+2581, at which the text is split");
    }
    DRAGOMAN_ASSIGN_OR_RETURN(data().piece_trie, build_double_array(std::move(keys)));
    return Status();
  }

  Status add_added_tokens() {
    Keys keys;
    for (size_t i = 0; i < json_.added_tokens.size(); ++i) {
      const AddedTokenEntry& token = json_.added_tokens[i];
      if (types_[token.id] != PieceType::kUser) continue;
      const std::string where = "added_tokens[" + std::to_string(i) + "]";
      if (token.single_word) problems_->add(where + ": single_word is not supported");
      if (token.content.size() > kMaxAddedTokenBytes) problems_->add(where + ": longer than 256 bytes");
      if (token.content.find('\0') != std::string::npos) problems_->add(where + ": holds a NUL character");
      if (token.normalized && !is_kept(token.content)) problems_->add(where + ": the normalizer changes it");
      uint32_t rules = 0;
      if (token.takes_spaces_before) rules |= kAddedTakesSpacesBefore;
      if (token.takes_spaces_after) rules |= kAddedTakesSpacesAfter;
      if (token.normalized) rules |= kAddedAfterNormalization;
      keys.emplace_back(token.content, static_cast<uint32_t>(data().added_tokens.size()));
      data().added_tokens.push_back(token.id << 8 | rules);
    }
    if (keys.empty() || !problems_->empty()) return Status();
    DRAGOMAN_ASSIGN_OR_RETURN(data().added_trie, build_double_array(std::move(keys)));
    return Status();
  }

  // Whether normalizing a token leaves it as it is, so that it can be looked for before.
  bool is_kept(const std::string& token) {
    if (rules_.prepends_always || token.find(' ') != std::string::npos) return false;
    if (rules_.charsmap.empty()) return rules_.rules.apply(token) == token;
    const Result<NormalizationRules> rules = read_charsmap(rules_.charsmap);
    return rules.ok() && rules.value().apply(token) == token;
  }

  Status add_merges() {
    if (json_.is_unigram) return Status();
    std::unordered_map<std::string_view, uint32_t> ids;
    for (size_t id = 0; id < json_.tokens.size(); ++id) {
      if (json_.of_model[id]) ids.emplace(json_.tokens[id].text, static_cast<uint32_t>(id));
    }
    data().merges.reserve(3 * json_.merges.size());
    for (size_t i = 0; i < json_.merges.size(); ++i) {
      const auto& [left, right] = json_.merges[i];
      for (const std::string& token : {left, right, left + right}) {
        const auto at = ids.find(token);
        if (at == ids.end()) {
          return Status::error(Code::kDamaged, "model.merges[%zu]: '%.80s' is not in the vocabulary", i, token.c_str());
        }
        data().merges.push_back(at->second);
      }
    }
    DRAGOMAN_ASSIGN_OR_RETURN(data().merge_slots, build_merge_slots(data().merges));
    return Status();
  }

  TokenizerJson json_;
  TextRules rules_;
  Problems* problems_;
  JsonVocabulary out_;
  std::vector<PieceType> types_;
};

}  // namespace

Result<JsonVocabulary> read_json_tokenizer(std::span<const std::byte> file,
                                           const std::function<bool(const std::string&)>& is_control) {
  Problems problems;
  DRAGOMAN_ASSIGN_OR_RETURN(TokenizerJson json, read_tokenizer_json(file));
  DRAGOMAN_ASSIGN_OR_RETURN(TextRules rules, read_text_rules(json, &problems));
  DRAGOMAN_RETURN_IF_ERROR(problems.status("tokenizer"));
  Result<JsonVocabulary> vocabulary = TablesBuilder(std::move(json), std::move(rules), &problems).build(is_control);
  if (!vocabulary.ok()) return vocabulary;
  DRAGOMAN_RETURN_IF_ERROR(problems.status("tokenizer"));
  return vocabulary;
}

}  // namespace dragoman::converter
