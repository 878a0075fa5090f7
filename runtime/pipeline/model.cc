#include "pipeline/model.h"

#include <new>

#include "model/tokenizer_section.h"

namespace dragoman::pipeline {

namespace {

Result<text::Tokenizer> open_tokenizer(const model::ModelView& view, const schema::Tokenizer* section) {
  DRAGOMAN_ASSIGN_OR_RETURN(const TokenizerTables tables, model::tokenizer_tables(view, *section));
  return text::Tokenizer::create(tables);
}

// The languages that a call means without naming any.
const char* own_source(const model::ModelView& view) {
  const int32_t index = view.num_source_languages() == 1 ? 0 : view.language_layout().default_source;
  return index < 0 ? "" : view.source_language(static_cast<size_t>(index)).code;
}

const char* own_target(const model::ModelView& view) {
  const int32_t index = view.num_target_languages() == 1 ? 0 : view.language_layout().default_target;
  return index < 0 ? "" : view.target_language(static_cast<size_t>(index)).code;
}

// What the bytes of a file say, verified.
struct Contents {
  model::ModelView view;
  text::Tokenizer source;
  text::Tokenizer target;
};

Result<Contents> read_contents(const model::MappedFile& file, const ModelOptions& options) {
  model::OpenOptions open_options;
  open_options.check_contents = options.verify_checksums;
  DRAGOMAN_ASSIGN_OR_RETURN(const model::ModelView view, model::ModelView::open(file.bytes(), open_options));
  DRAGOMAN_ASSIGN_OR_RETURN(const text::Tokenizer source, open_tokenizer(view, view.source_tokenizer()));
  DRAGOMAN_ASSIGN_OR_RETURN(const text::Tokenizer target, open_tokenizer(view, view.target_tokenizer()));
  if (source.num_ids() > view.source_vocabulary() || target.num_ids() > view.target_vocabulary()) {
    return Status::error(Code::kDamaged, "tokenizers of %zu and %zu ids do not fit vocabularies of %u and %u",
                         source.num_ids(), target.num_ids(), view.source_vocabulary(), view.target_vocabulary());
  }
  return Contents{view, source, target};
}

}  // namespace

Model::Model(model::MappedFile file, const model::ModelView& view, text::Tokenizer source, text::Tokenizer target)
    : file_(std::move(file)),
      view_(view),
      graph_(view),
      source_(source),
      target_(target),
      source_language_(own_source(view)),
      target_language_(own_target(view)) {}

Result<std::unique_ptr<Model>> Model::open(model::MappedFile file, const ModelOptions& options) {
  DRAGOMAN_ASSIGN_OR_RETURN(const Contents contents, read_contents(file, options));
  std::unique_ptr<Model> model(new (std::nothrow)
                                   Model(std::move(file), contents.view, contents.source, contents.target));
  if (model == nullptr) return Status::error(Code::kOutOfMemory, "model: no memory");
  DRAGOMAN_RETURN_IF_ERROR(graph::lower(options.compute, &model->graph_));
  return model;
}

Status Model::verify(const model::MappedFile& file, const ModelOptions& options) {
  DRAGOMAN_ASSIGN_OR_RETURN(const Contents contents, read_contents(file, options));
  graph::LoweredGraph graph(contents.view);
  return graph::make_schedules(options.compute, &graph);
}

}  // namespace dragoman::pipeline
