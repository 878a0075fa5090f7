// Reads texts: sentence by sentence, a sentence that is too long in parts, each turned into source ids.
// Neighbours: text/ splits, cuts, repairs and tokenizes; the translator asks for parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "pipeline/languages.h"
#include "pipeline/model.h"
#include "pipeline/part.h"
#include "text/sentence_splitter.h"
#include "text/tokenizer.h"

namespace dragoman::pipeline {

// Buffers for reading text, carved once per session.
struct TextBuffers {
  size_t max_part_bytes = 0;       // of the source text of one part
  size_t max_target_bytes = 0;     // of a translation to be scored
  std::span<char> repaired;        // three times the larger of them
  std::span<std::byte> tokenizer;  // the tokenizers' scratch

  // max_target_length 0: no translation will be read.
  void carve(const Model& model, size_t max_source_length, size_t max_target_length, Arena* arena);
};

// What to read, borrowed.
struct TextInputs {
  // The i-th input; i < count.
  std::string_view (*get)(const void* context, size_t index);
  const void* context;
  size_t count;
};

// Where the text's ids go between what stands around them. kInvalidArgument, naming the `limit`, when there is no room.
Result<std::span<int32_t>> room_between(std::span<const int32_t> prefix, std::span<const int32_t> suffix,
                                        std::span<int32_t> ids, const char* limit);
// Puts prefix and suffix around the `num_text_ids` ids that stand there; returns how many ids there are.
size_t surround(std::span<const int32_t> prefix, std::span<const int32_t> suffix, size_t num_text_ids,
                std::span<int32_t> ids);

// Looks for a target at the beginning of a text and sets it; returns where the text goes on. kNotFound for one that the
// model lacks, kInvalidArgument when there is none and there has to be; both name the input.
Result<size_t> take_target(const Model& model, std::string_view text, size_t input, SequenceLayout* layout);

class TextParts final : public PartSource {
 public:
  TextParts(const Model& model, const SequenceLayout& layout, const TextInputs& inputs, bool one_sentence_per_input,
            const TextBuffers& buffers);
  Result<bool> next(Part* part) override;

 private:
  Status start_input();
  void take_end(Part* part);
  Status take_part(Part* part);
  Result<size_t> encode_prefix(size_t bytes, Part* part);

  const Model& model_;
  const SequenceLayout& call_layout_;
  SequenceLayout layout_;  // of input_
  const TextInputs inputs_;
  const TextBuffers& buffers_;
  text::SentenceSplitter splitter_;
  size_t input_ = 0;
  std::string_view text_;    // of input_
  size_t gap_begin_ = 0;     // end of what was read so far
  size_t position_ = 0;      // where the splitter continues
  text::Sentence sentence_;  // the rest of the current sentence
  bool started_ = false;     // text_ is set
  bool cut_ = false;         // a part of the current sentence was taken
};

}  // namespace dragoman::pipeline
