// Neighbours: simple_segmenters.h; the tries in double_array.h.
#include "text/simple_segmenters.h"

#include "text/character_length.h"
#include "text/normalizer.h"

namespace dragoman::text {
namespace {

// Piece index of a part of the text, or the unknown piece.
int32_t look_up(const SegmenterContext& context, std::string_view part) {
  const uint32_t piece = context.pieces.find(part);
  return piece == DoubleArray::kNone ? context.tables->unknown_id : static_cast<int32_t>(piece);
}

}  // namespace

size_t match_user_symbol(const SegmenterContext& context, std::string_view text, size_t at) {
  return longest_user_symbol(context.user_symbols, text.substr(at, context.max_piece_bytes));
}

bool segment_words(const SegmenterContext& context, std::string_view text, IdSink& sink) {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = character_length(text, at);
    if (at != begin && text.substr(at, bytes) == kEscapedSpace) {
      if (!sink.add(begin, at - begin, look_up(context, text.substr(begin, at - begin)))) return false;
      begin = at;
    }
    at += bytes;
  }
  return text.empty() || sink.add(begin, text.size() - begin, look_up(context, text.substr(begin)));
}

bool segment_characters(const SegmenterContext& context, std::string_view text, IdSink& sink) {
  for (size_t at = 0; at < text.size();) {
    const size_t symbol = match_user_symbol(context, text, at);
    const size_t bytes = symbol != 0 ? symbol : character_length(text, at);
    if (!sink.add(at, bytes, look_up(context, text.substr(at, bytes)))) return false;
    at += bytes;
  }
  return true;
}

bool segment_space_separated(const SegmenterContext& context, std::string_view text, IdSink& sink) {
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string_view::npos) end = text.size();
    if (end != at && !sink.add_apart(at, look_up(context, text.substr(at, end - at)))) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace dragoman::text
