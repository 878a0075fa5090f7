// Neighbours: arranged_pieces.h.
#include "converter/arranged_pieces.h"

#include <unordered_map>

namespace dragoman::converter {

Result<TokenizerData> arrange_pieces(const SentencePieceModel& model, const std::vector<DictionaryEntry>& dictionary,
                                     const std::string& unknown) {
  std::unordered_map<std::string, size_t> pieces;
  const SentencePiece* unknown_piece = nullptr;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    pieces.emplace(model.pieces[i].text, i);
    if (model.pieces[i].type == PieceType::kUnknown) unknown_piece = &model.pieces[i];
  }
  SentencePieceModel arranged = model;
  arranged.pieces.clear();
  std::vector<bool> placed(model.pieces.size(), false);
  std::unordered_map<std::string, size_t> tokens;
  for (const DictionaryEntry& entry : dictionary) {
    if (!tokens.emplace(entry.token, arranged.pieces.size()).second) {
      return Status::error(Code::kInvalidArgument, "token '%.80s' has two ids", entry.token.c_str());
    }
    SentencePiece piece{entry.token, 0.0f, entry.special ? PieceType::kControl : PieceType::kUnused};
    const auto at = pieces.find(entry.token);
    if (entry.token == unknown) {
      if (unknown_piece == nullptr) return Status::error(Code::kInvalidArgument, "the model has no unknown piece");
      piece = *unknown_piece;
      piece.text = entry.token;
      placed[static_cast<size_t>(unknown_piece - model.pieces.data())] = true;
    } else if (at != pieces.end()) {
      // A special token keeps its piece only where the model calls it one too.
      const SentencePiece& own = model.pieces[at->second];
      if (!entry.special || own.type == PieceType::kControl || own.type == PieceType::kUser) piece = own;
      if (entry.special) piece.type = PieceType::kControl;
      placed[at->second] = true;
    }
    arranged.pieces.push_back(std::move(piece));
  }
  if (!tokens.contains(unknown)) {
    return Status::error(Code::kInvalidArgument, "token '%s' is missing", unknown.c_str());
  }
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    if (placed[i] || &model.pieces[i] == unknown_piece) continue;
    arranged.pieces.push_back(model.pieces[i]);
  }
  DRAGOMAN_ASSIGN_OR_RETURN(TokenizerData data, build_tokenizer(arranged));
  data.options.num_ids = static_cast<uint32_t>(dictionary.size());
  // Control pieces that the dictionary lacks have no id.
  for (int32_t* id : {&data.options.begin_id, &data.options.end_id, &data.options.pad_id}) {
    if (*id >= static_cast<int64_t>(dictionary.size())) *id = -1;
  }
  return data;
}

}  // namespace dragoman::converter
