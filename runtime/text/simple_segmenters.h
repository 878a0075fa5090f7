// Segmentations without a search: words, characters, words between spaces; and the user symbols that some share.
// Neighbours: called by Tokenizer::encode; bpe.cc matches user symbols through it.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/id_sink.h"
#include "text/unigram.h"

namespace dragoman::text {

// Length of the longest user symbol that begins at `at`, or 0.
size_t match_user_symbol(const SegmenterContext& context, std::string_view text, size_t at);

// Each returns false when the sink is full. A part without a piece becomes the unknown piece.

// Before every U+2581.
[[nodiscard]] bool segment_words(const SegmenterContext& context, std::string_view text, IdSink& sink);
// Characters and user symbols.
[[nodiscard]] bool segment_characters(const SegmenterContext& context, std::string_view text, IdSink& sink);
// The runs between ' ' characters, which belong to nothing (Marian's plain vocabularies).
[[nodiscard]] bool segment_space_separated(const SegmenterContext& context, std::string_view text, IdSink& sink);

}  // namespace dragoman::text
