// An open model: file, network and tokenizers, shared by its sessions.
// Neighbours: the C ABI hands it out as dragoman_model; pipeline/session builds on it.
#pragma once

#include <memory>
#include <span>

#include "base/status.h"
#include "engine/engine.h"
#include "graph/lowering.h"
#include "model/mapped_file.h"
#include "model/model_view.h"
#include "text/sentence_splitter.h"
#include "text/tokenizer.h"

namespace dragoman::pipeline {

struct ModelOptions {
  ops::Compute compute = ops::Compute::kInt8;
  bool verify_checksums = false;
};

// Immutable once open; thread safe.
class Model {
 public:
  // Verifies the file's bytes, checks the network and packs its weights. Takes the file.
  static Result<std::unique_ptr<Model>> open(model::MappedFile file, const ModelOptions& options);
  // Verifies the file's bytes and checks the network as open() does; nothing is packed or kept.
  static Status verify(const model::MappedFile& file, const ModelOptions& options);

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const model::ModelView& view() const { return view_; }
  const graph::LoweredGraph& graph() const { return graph_; }
  const text::Tokenizer& source_tokenizer() const { return source_; }
  const text::Tokenizer& target_tokenizer() const { return target_; }
  // Codes of the languages that a call means without naming any, or "".
  const char* source_language() const { return source_language_; }
  const char* target_language() const { return target_language_; }

 private:
  Model(model::MappedFile file, const model::ModelView& view, text::Tokenizer source, text::Tokenizer target);

  model::MappedFile file_;
  model::ModelView view_;
  graph::LoweredGraph graph_;
  text::Tokenizer source_;
  text::Tokenizer target_;
  const char* source_language_;
  const char* target_language_;
};

}  // namespace dragoman::pipeline
