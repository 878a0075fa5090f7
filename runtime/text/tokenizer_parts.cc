// Encoding a text that is cut at added tokens: each part between them is normalized and segmented for itself.
// Neighbours: tokenizer.h; part_reader.h cuts, normalizer_parts.cc normalizes.
#include <algorithm>
#include <cstring>

#include "text/part_reader.h"
#include "text/tokenizer.h"
#include "text/tokenizer_scratch.h"

namespace dragoman::text {

// What the parts of one encode call share.
struct PartsState {
  std::span<std::byte> scratch;
  std::span<char> room;  // of the normalized text, at the start of the scratch
  size_t normalized_bytes = 0;
  IdSink& sink;
};

Status Tokenizer::encode_part(std::string_view text, const Part& part, PartsState& state) const {
  const std::span<char> room = state.room.subspan(state.normalized_bytes);
  const std::string_view token = part.token < 0 ? std::string_view() : piece_text(static_cast<uint32_t>(part.token));
  size_t bytes = token.size();
  if (part.token >= 0) {
    if (bytes > room.size()) return too_long(text.size());
    std::memcpy(room.data(), token.data(), bytes);
    state.sink.start_part(token, state.normalized_bytes);
    if (!state.sink.add_apart(0, part.token)) return too_many_tokens(text.size());
  } else {
    const std::string_view source = text.substr(part.begin, part.bytes);
    if (!normalizer_.normalize_part(source, part.place, room, bytes)) return too_long(text.size());
    const std::string_view normalized(room.data(), bytes);
    state.sink.start_part(normalized, state.normalized_bytes);
    const std::span<std::byte> rest = aligned(state.scratch.subspan(state.normalized_bytes + bytes));
    if (bytes != 0) DRAGOMAN_RETURN_IF_ERROR(segment(normalized, rest, state.sink));
  }
  state.normalized_bytes += bytes;
  return Status();
}

Result<Encoded> Tokenizer::encode_parts(std::string_view text, const EncodeBuffers& buffers) const {
  const std::span<uint32_t> begins =
      buffers.normalized_begins.empty() ? buffers.source_begins : buffers.normalized_begins;
  IdSink sink(tables_, {}, buffers.ids, begins);
  PartsState state{aligned(buffers.scratch), {}, 0, sink};
  state.room = normalized_room(state.scratch);
  if (state.room.empty()) return too_long(text.size());
  PartReader reader(tables_, text);
  for (Part part; reader.next(&part);) {
    const size_t first = sink.size();
    const uint32_t base = static_cast<uint32_t>(state.normalized_bytes);
    DRAGOMAN_RETURN_IF_ERROR(encode_part(text, part, state));
    if (buffers.source_begins.empty() || sink.size() == first) continue;
    const std::span<uint32_t> own = buffers.source_begins.subspan(first, sink.size() - first);
    std::transform(begins.begin() + static_cast<ptrdiff_t>(first), begins.begin() + static_cast<ptrdiff_t>(sink.size()),
                   own.begin(), [base](uint32_t position) { return position - base; });
    if (part.token < 0) normalizer_.map_part_to_source(text.substr(part.begin, part.bytes), part.place, own);
    for (uint32_t& position : own) position += static_cast<uint32_t>(part.begin);
  }
  return Encoded{sink.size(), std::string_view(state.room.data(), state.normalized_bytes)};
}

}  // namespace dragoman::text
