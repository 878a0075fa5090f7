// Reads pairs of a text and its translation, each one part, to be scored.
// Neighbours: stands in for text_parts; the translator follows the given ids instead of searching.
#pragma once

#include <cstddef>

#include "pipeline/model.h"
#include "pipeline/part.h"
#include "pipeline/text_parts.h"

namespace dragoman::pipeline {

// Errors: kInvalidArgument for an empty source, kLimit for a text that does not fit; both name the input.
class PairParts final : public PartSource {
 public:
  // As many `targets` as `sources`.
  PairParts(const Model& model, const SequenceLayout& layout, const TextInputs& sources, const TextInputs& targets,
            const TextBuffers& buffers)
      : model_(model), layout_(layout), sources_(sources), targets_(targets), buffers_(buffers) {}
  Result<bool> next(Part* part) override;

 private:
  // How one side's text becomes ids.
  struct Recipe {
    const char* name;
    const char* limit;  // of ids, by name
    const text::Tokenizer& tokenizer;
    size_t max_bytes;
    std::span<const int32_t> prefix;  // around the text's ids
    std::span<const int32_t> suffix;
  };
  Result<size_t> encode(const Recipe& recipe, std::string_view text, std::span<int32_t> ids, Part* part) const;
  Status encode_pair(Part* part);

  const Model& model_;
  const SequenceLayout& layout_;
  const TextInputs sources_;
  const TextInputs targets_;
  const TextBuffers& buffers_;
  size_t input_ = 0;
  bool at_end_ = false;  // the pair input_ was given, its end was not
};

}  // namespace dragoman::pipeline
