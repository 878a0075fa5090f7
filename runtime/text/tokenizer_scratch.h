// How Tokenizer::encode divides its scratch, and what it says when that does not suffice.
// Neighbours: tokenizer.cc, tokenizer_parts.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "base/status.h"

namespace dragoman::text {

// A slot is room for one input byte: three bytes of normalized text and what the segmenter keeps for them. A few slots
// more hold the dummy space and the end.
inline constexpr size_t kExtraSlots = 16;
inline constexpr size_t kNormalizedPerSlot = 3;
// Alignment of the block and of every part.
inline constexpr size_t kSlack = 5 * kBufferAlignment;
inline constexpr size_t kMaxTextBytes = size_t{1} << 29;

inline std::span<std::byte> aligned(std::span<std::byte> scratch) {
  const size_t misfit = reinterpret_cast<uintptr_t>(scratch.data()) % kBufferAlignment;
  const size_t skip = misfit == 0 ? 0 : kBufferAlignment - misfit;
  return skip < scratch.size() ? scratch.subspan(skip) : std::span<std::byte>();
}

inline Status too_long(size_t bytes) {
  return Status::error(Code::kLimit, "a text of %zu bytes does not fit the tokenizer's scratch", bytes);
}

inline Status too_many_tokens(size_t bytes) {
  return Status::error(Code::kLimit, "a text of %zu bytes has too many tokens", bytes);
}

}  // namespace dragoman::text
