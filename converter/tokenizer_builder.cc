// Neighbours: tokenizer_builder.h; storing is in tokenizer_store.cc.
#include "converter/tokenizer_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "converter/double_array_builder.h"

namespace dragoman::converter {
namespace {

// What a character without a piece costs more than the worst piece (SentencePiece's kUnkPenalty).
constexpr float kUnknownPenalty = 10.0f;

using Keys = std::vector<std::pair<std::string, uint32_t>>;

bool is_reserved(PieceType type) {
  return type == PieceType::kUnknown || type == PieceType::kControl || type == PieceType::kByte;
}

// A stray piece "\0" is never matched (conversion scripts of others write one beside "<0x00>").
bool is_null_piece(const SentencePiece& piece) { return piece.text.size() == 1 && piece.text[0] == '\0'; }

PieceType effective_type(const SentencePieceModel& model, const SentencePiece& piece) {
  return model.byte_fallback && is_null_piece(piece) ? PieceType::kUnused : piece.type;
}

Status check_text(const SentencePiece& piece, PieceType type, size_t index) {
  if (piece.text.empty()) return Status::error(Code::kDamaged, "piece %zu is empty", index);
  if (piece.text.size() > kMaxPieceBytes) {
    return Status::error(Code::kDamaged, "piece %zu has %zu bytes, at most %zu are allowed", index, piece.text.size(),
                         kMaxPieceBytes);
  }
  const bool skipped = is_null_piece(piece) && type == PieceType::kUnused;
  if (!skipped && piece.text.find('\0') != std::string::npos) {
    return Status::error(Code::kDamaged, "piece %zu holds a NUL character", index);
  }
  if (!std::isfinite(piece.score)) return Status::error(Code::kDamaged, "piece %zu: score is not finite", index);
  return Status();
}

void append_piece(const std::string& text, float score, PieceType type, TokenizerData& data) {
  if (data.piece_offsets.empty()) data.piece_offsets.push_back(0);
  data.piece_bytes += text;
  data.piece_offsets.push_back(static_cast<uint32_t>(data.piece_bytes.size()));
  data.piece_scores.push_back(score);
  data.piece_types.push_back(static_cast<uint8_t>(type));
}

// The search adds this instead of a user symbol's own score, so that it wins over its parts (unigram_model.cc).
float search_score(const SentencePieceModel& model, const SentencePiece& piece) {
  if (model.kind != TokenizerKind::kUnigram || piece.type != PieceType::kUser) return piece.score;
  return static_cast<float>(0.1 * static_cast<double>(static_cast<int>(piece.text.size()) - 1));
}

Status add_pieces(const SentencePieceModel& model, TokenizerData& data) {
  std::unordered_set<std::string_view> reserved;
  // BPE looks control pieces up among all others, so there a name may stand once only.
  std::unordered_set<std::string_view> matched;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePiece& piece = model.pieces[i];
    const PieceType type = effective_type(model, piece);
    DRAGOMAN_RETURN_IF_ERROR(check_text(piece, type, i));
    auto& names = is_reserved(type) && model.kind != TokenizerKind::kBpe ? reserved : matched;
    const bool skipped = is_null_piece(piece) && type == PieceType::kUnused;
    if (!skipped && !names.insert(piece.text).second) {
      return Status::error(Code::kDamaged, "piece %zu, '%.80s', is defined twice", i, piece.text.c_str());
    }
    append_piece(piece.text, search_score(model, piece), type, data);
  }
  return Status();
}

Status find_unknown(TokenizerData& data, bool byte_fallback) {
  for (size_t i = 0; i < data.piece_types.size(); ++i) {
    if (data.piece_types[i] != static_cast<uint8_t>(PieceType::kUnknown)) continue;
    if (data.options.unknown_id >= 0) {
      return Status::error(Code::kDamaged, "pieces %d and %zu are both unknown pieces", data.options.unknown_id, i);
    }
    data.options.unknown_id = static_cast<int32_t>(i);
  }
  if (data.options.unknown_id < 0 && !byte_fallback)
    return Status::error(Code::kDamaged, "no unknown piece is defined");
  return Status();
}

Status find_bytes(const SentencePieceModel& model, TokenizerData& data) {
  std::vector<uint32_t> found(256, UINT32_MAX);
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const std::string& piece = model.pieces[i].text;
    if (effective_type(model, model.pieces[i]) != PieceType::kByte) continue;
    const int byte = byte_of_piece(piece);
    if (!model.byte_fallback || byte < 0) {
      return Status::error(Code::kDamaged, "byte piece %zu, '%.80s', %s", i, piece.c_str(),
                           byte < 0 ? "is not of the form <0xNN>" : "but byte fallback is off");
    }
    found[static_cast<size_t>(byte)] = static_cast<uint32_t>(i);
  }
  if (!model.byte_fallback) return Status();
  if (std::count(found.begin(), found.end(), UINT32_MAX) != 0) {
    return Status::error(Code::kDamaged, "byte fallback is on, but not every byte has a piece");
  }
  data.byte_pieces = std::move(found);
  return Status();
}

// Control pieces named in the model; -1 where there is none of that name.
int32_t find_control(const SentencePieceModel& model, const std::string& name) {
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    if (model.pieces[i].type == PieceType::kControl && model.pieces[i].text == name) return static_cast<int32_t>(i);
  }
  return -1;
}

float unknown_score(const SentencePieceModel& model) {
  float lowest = std::numeric_limits<float>::max();
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type == PieceType::kNormal) lowest = std::min(lowest, piece.score);
  }
  return lowest - kUnknownPenalty;
}

Status build_tries(const SentencePieceModel& model, TokenizerData& data) {
  Keys pieces;
  Keys users;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePiece& piece = model.pieces[i];
    const PieceType type = effective_type(model, piece);
    if (is_reserved(type) || is_null_piece(piece)) continue;
    // Only BPE has a use for unused pieces: others treat them as absent.
    if (type == PieceType::kUnused && model.kind != TokenizerKind::kBpe) continue;
    pieces.emplace_back(piece.text, static_cast<uint32_t>(i));
    if (type == PieceType::kUser) users.emplace_back(piece.text, static_cast<uint32_t>(i));
  }
  DRAGOMAN_ASSIGN_OR_RETURN(data.piece_trie, build_double_array(std::move(pieces)));
  if (!users.empty()) {
    DRAGOMAN_ASSIGN_OR_RETURN(data.user_trie, build_double_array(std::move(users)));
  }
  return Status();
}

}  // namespace

int byte_of_piece(std::string_view piece) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const size_t high = kDigits.find(piece[3]);
  const size_t low = kDigits.find(piece[4]);
  return high == std::string_view::npos || low == std::string_view::npos ? -1 : static_cast<int>(high * 16 + low);
}

Status split_charsmap(const std::string& charsmap, TokenizerData& data) {
  if (charsmap.empty()) return Status();
  uint32_t trie_bytes = 0;
  if (charsmap.size() > sizeof(trie_bytes)) std::memcpy(&trie_bytes, charsmap.data(), sizeof(trie_bytes));
  if (trie_bytes == 0 || trie_bytes % 1024 != 0 || trie_bytes >= charsmap.size() - sizeof(trie_bytes)) {
    return Status::error(Code::kDamaged,
                         "normalization map of %zu bytes: trie of %u bytes, expected a multiple of 1024",
                         charsmap.size(), trie_bytes);
  }
  data.normalizer_trie.resize(trie_bytes / sizeof(uint32_t));
  std::memcpy(data.normalizer_trie.data(), charsmap.data() + sizeof(trie_bytes), trie_bytes);
  data.normalizer_bytes = charsmap.substr(sizeof(trie_bytes) + trie_bytes);
  if (data.normalizer_bytes.back() != '\0')
    return Status::error(Code::kDamaged, "normalization map does not end in NUL");
  return check_double_array(data.normalizer_trie, data.normalizer_bytes.size());
}

Result<TokenizerData> build_tokenizer(const SentencePieceModel& model) {
  if (!model.denormalizer_charsmap.empty()) {
    return Status::error(Code::kUnsupported, "the SentencePiece model has a denormalization map");
  }
  TokenizerData data;
  data.options.kind = model.kind;
  data.options.num_ids = static_cast<uint32_t>(model.pieces.size());
  data.options.add_dummy_prefix = model.add_dummy_prefix;
  data.options.remove_extra_whitespaces = model.remove_extra_whitespaces;
  data.options.escape_whitespaces = model.escape_whitespaces;
  data.options.whitespace_as_suffix = model.whitespace_as_suffix;
  data.unknown_surface = model.unknown_surface;
  DRAGOMAN_RETURN_IF_ERROR(add_pieces(model, data));
  DRAGOMAN_RETURN_IF_ERROR(find_unknown(data, model.byte_fallback));
  DRAGOMAN_RETURN_IF_ERROR(find_bytes(model, data));
  data.options.unknown_score = unknown_score(model);
  data.options.begin_id = find_control(model, model.begin_piece);
  data.options.end_id = find_control(model, model.end_piece);
  data.options.pad_id = find_control(model, model.pad_piece);
  DRAGOMAN_RETURN_IF_ERROR(build_tries(model, data));
  DRAGOMAN_RETURN_IF_ERROR(split_charsmap(model.precompiled_charsmap, data));
  return data;
}

Result<TokenizerData> build_tokenizer(const MarianVocab& vocab) {
  TokenizerData data;
  data.options.kind = TokenizerKind::kSpaceSeparated;
  data.options.num_ids = static_cast<uint32_t>(vocab.tokens.size());
  data.options.unknown_id = vocab.unknown_id;
  data.options.end_id = vocab.end_id;
  data.options.add_dummy_prefix = false;
  data.options.remove_extra_whitespaces = false;
  data.options.escape_whitespaces = false;
  data.unknown_surface = "<unk>";
  Keys words;
  for (size_t i = 0; i < vocab.tokens.size(); ++i) {
    const int32_t id = static_cast<int32_t>(i);
    const PieceType type = id == vocab.unknown_id ? PieceType::kUnknown
                           : id == vocab.end_id   ? PieceType::kControl
                                                  : PieceType::kNormal;
    append_piece(vocab.tokens[i], 0.0f, type, data);
    if (type == PieceType::kNormal) words.emplace_back(vocab.tokens[i], static_cast<uint32_t>(i));
  }
  DRAGOMAN_ASSIGN_OR_RETURN(data.piece_trie, build_double_array(std::move(words)));
  return data;
}

}  // namespace dragoman::converter
