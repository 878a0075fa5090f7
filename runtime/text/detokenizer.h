// Pieces back to text, a few at a time: spaces restored, byte pieces gathered into characters, control pieces skipped.
// Neighbours: Tokenizer::decode drives it; the pipeline keeps a DecodeState per hypothesis it streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/tokenizer_tables.h"

namespace dragoman::text {

// What decoding must remember between ids; a fresh one for each text. Copies freely.
struct DecodeState {
  bool at_start = true;  // a leading U+2581 would still be the dummy prefix
  bool empty = true;     // no byte was written so far
  bool raw = false;      // pieces are bytes
  uint8_t num_pending = 0;
  char pending[4] = {};  // start of a character whose other bytes may still come
};

// Writes text into a span; once something did not fit, nothing more is written.
class TextWriter {
 public:
  explicit TextWriter(std::span<char> out) : out_(out) {}

  void put(std::string_view text) {
    if (text.size() > out_.size() - size_) full_ = true;
    if (full_ || text.empty()) return;
    std::memcpy(out_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }

  size_t size() const { return size_; }
  bool full() const { return full_; }

 private:
  std::span<char> out_;
  size_t size_ = 0;
  bool full_ = false;
};

// Appends what `id` adds to the text; 0 <= id < tables.num_ids, tables checked. Equals SentencePiece 0.2.3,
// Decode, or with leading_spaces the decoders of Hugging Face tokenizers 0.23, control pieces left out.
void decode_id(const TokenizerTables& tables, int32_t id, DecodeState& state, TextWriter& out);

// Appends what was withheld: bytes of an unfinished character become U+FFFD.
void decode_rest(DecodeState& state, TextWriter& out);

}  // namespace dragoman::text
