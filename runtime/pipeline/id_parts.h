// Reads inputs that are already ids: one part each.
// Neighbours: stands in for text_parts when the caller has tokenized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pipeline/languages.h"
#include "pipeline/model.h"
#include "pipeline/part.h"

namespace dragoman::pipeline {

// What to read, borrowed.
struct IdInputs {
  // The i-th input; i < count.
  std::span<const int32_t> (*get)(const void* context, size_t index);
  const void* context;
  size_t count;
};

// Errors: kInvalidArgument for an id outside the vocabulary, kLimit for too many ids; both name the input.
class IdParts final : public PartSource {
 public:
  IdParts(const Model& model, const SequenceLayout& layout, const IdInputs& inputs)
      : model_(model), layout_(layout), inputs_(inputs) {}
  Result<bool> next(Part* part) override;

 private:
  Status copy_ids(Part* part) const;

  const Model& model_;
  const SequenceLayout& layout_;
  const IdInputs inputs_;
  size_t input_ = 0;
  bool at_end_ = false;  // the ids of input_ were given, its end was not
};

}  // namespace dragoman::pipeline
