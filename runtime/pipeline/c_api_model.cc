// dragoman.h: version, errors, models and their tokenizers.
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/buffer_size.h"
#include "pipeline/c_api.h"
#include "pipeline/languages.h"

namespace dragoman::pipeline {

dragoman_code report(const Status& status, dragoman_error* error) {
  const auto code = static_cast<dragoman_code>(status.code());
  if (!status.ok() && error != nullptr) {
    static_assert(sizeof(error->message) == Status::kMessageBytes);
    error->code = code;
    std::memcpy(error->message, status.message(), sizeof(error->message));
  }
  return code;
}

dragoman_code report_null(const char* name, dragoman_error* error) {
  return report(Status::error(Code::kInvalidArgument, "%s: a null pointer", name), error);
}

namespace {

ModelOptions model_options(const dragoman_model_options* options) {
  const dragoman_model_options given = options != nullptr ? *options : dragoman_default_model_options();
  return {.compute = given.compute == DRAGOMAN_COMPUTE_F32 ? ops::Compute::kF32 : ops::Compute::kInt8,
          .verify_checksums = given.verify_checksums};
}

Status about(const char* what, const Status& status) {
  return Status::error(status.code(), "%.100s: %s", what, status.message());
}

dragoman_code open(Result<model::MappedFile> file, const char* what, const dragoman_model_options* options,
                   dragoman_model** model, dragoman_error* error) {
  if (!file.ok()) return report(file.status(), error);
  Result<std::unique_ptr<Model>> opened = Model::open(std::move(file.value()), model_options(options));
  if (!opened.ok()) return report(about(what, opened.status()), error);
  *model = reinterpret_cast<dragoman_model*>(opened.value().release());
  return DRAGOMAN_OK;
}

const text::Tokenizer& tokenizer(const dragoman_model* model, dragoman_side side) {
  return side == DRAGOMAN_TARGET ? from_handle(model).target_tokenizer() : from_handle(model).source_tokenizer();
}

Side language_side(dragoman_side side) { return side == DRAGOMAN_TARGET ? Side::kTarget : Side::kSource; }

dragoman_language as_c(const model::LanguageInfo& info) { return {info.code, info.name, info.token, false}; }

}  // namespace
}  // namespace dragoman::pipeline

using namespace dragoman;            // NOLINT(google-build-using-namespace): this file is the library's C face
using namespace dragoman::pipeline;  // NOLINT(google-build-using-namespace)

extern "C" {

const char* dragoman_version(void) { return DRAGOMAN_VERSION; }

dragoman_model_options dragoman_default_model_options(void) { return {DRAGOMAN_COMPUTE_INT8, false}; }

dragoman_code dragoman_model_open(const char* path, const dragoman_model_options* options, dragoman_model** model,
                                  dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  *model = nullptr;
  if (path == nullptr) return report_null("path", error);
  return open(model::MappedFile::map(path), path, options, model, error);
}

dragoman_code dragoman_model_open_memory(const void* data, size_t bytes, const dragoman_model_options* options,
                                         dragoman_model** model, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  *model = nullptr;
  return open(model::MappedFile::borrow(data, bytes), "model in memory", options, model, error);
}

dragoman_code dragoman_model_verify(const char* path, const dragoman_model_options* options, dragoman_error* error) {
  if (path == nullptr) return report_null("path", error);
  const Result<model::MappedFile> file = model::MappedFile::map(path);
  if (!file.ok()) return report(file.status(), error);
  const Status status = Model::verify(file.value(), model_options(options));
  return status.ok() ? DRAGOMAN_OK : report(about(path, status), error);
}

void dragoman_model_close(dragoman_model* model) { delete reinterpret_cast<Model*>(model); }

void dragoman_model_get_info(const dragoman_model* handle, dragoman_model_info* info) {
  if (info == nullptr) return;
  *info = {};
  info->name = info->family = info->licence = info->source_language = info->target_language = "";
  if (handle == nullptr) return;
  const Model& model = from_handle(handle);
  const model::ModelView& view = model.view();
  info->name = view.name().data() != nullptr ? view.name().data() : "";
  info->family = view.family().data() != nullptr ? view.family().data() : "";
  info->licence = view.licence().data() != nullptr ? view.licence().data() : "";
  info->source_language = model.source_language();
  info->target_language = model.target_language();
  info->source_vocabulary = view.source_vocabulary();
  info->target_vocabulary = view.target_vocabulary();
  info->num_source_languages = view.num_source_languages();
  info->num_target_languages = view.num_target_languages();
  info->end_id = view.generation().end_id;
  info->has_shortlist = view.shortlist().present();
  info->file_bytes = view.file().size();
  info->packed_weight_bytes = model.graph().weights.bytes();
}

dragoman_code dragoman_get_language(const dragoman_model* model, dragoman_side side, size_t index,
                                    dragoman_language* language, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  if (language == nullptr) return report_null("language", error);
  const model::ModelView& view = from_handle(model).view();
  const size_t count = num_languages(view, language_side(side));
  if (index >= count) {
    return report(Status::error(Code::kInvalidArgument, "language: found index %zu of %zu", index, count), error);
  }
  *language = as_c(pipeline::language(view, language_side(side), index));
  return DRAGOMAN_OK;
}

dragoman_code dragoman_find_language(const dragoman_model* model, dragoman_side side, const char* name,
                                     dragoman_language* language, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  if (name == nullptr) return report_null("name", error);
  if (language == nullptr) return report_null("language", error);
  const model::ModelView& view = from_handle(model).view();
  const Result<FoundLanguage> found = find_language(view, language_side(side), name);
  if (!found.ok()) return report(found.status(), error);
  *language = as_c(pipeline::language(view, language_side(side), found.value().index));
  language->inexact = found.value().inexact;
  return DRAGOMAN_OK;
}

dragoman_code dragoman_tokenize(const dragoman_model* model, dragoman_side side, const char* text, size_t bytes,
                                int32_t* ids, size_t capacity, size_t* num_ids, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  if (num_ids == nullptr) return report_null("num_ids", error);
  if (text == nullptr && bytes > 0) return report_null("text", error);
  if (ids == nullptr && capacity > 0) return report_null("ids", error);
  const text::Tokenizer& tokenizer = pipeline::tokenizer(model, side);
  // Normalization rarely grows a text more than threefold, at worst eighteenfold (U+FDFA).
  for (const size_t growth : {1, 6}) {
    const size_t scratch_bytes = tokenizer.scratch_bytes(saturating_sum(saturating_product(bytes, growth), 64));
    std::unique_ptr<std::byte[]> scratch(new (std::nothrow) std::byte[scratch_bytes]);
    // More ids than bytes of normalized text cannot come out.
    const size_t max_ids = saturating_sum(saturating_product(18, bytes), 64);
    std::unique_ptr<int32_t[]> all(new (std::nothrow) int32_t[max_ids]);
    if (scratch == nullptr || all == nullptr) {
      return report(Status::error(Code::kOutOfMemory, "tokenize: no memory for a text of %zu bytes", bytes), error);
    }
    text::EncodeBuffers buffers;
    buffers.scratch = {scratch.get(), scratch_bytes};
    buffers.ids = {all.get(), max_ids};
    const Result<text::Encoded> encoded = tokenizer.encode({text, bytes}, buffers);
    if (!encoded.ok()) {
      if (encoded.status().code() == Code::kLimit && growth == 1) continue;
      return report(encoded.status(), error);
    }
    *num_ids = encoded.value().num_ids;
    const size_t copied = *num_ids < capacity ? *num_ids : capacity;
    if (copied > 0) std::memcpy(ids, all.get(), copied * sizeof(int32_t));
    if (*num_ids <= capacity) return DRAGOMAN_OK;
    break;
  }
  return report(Status::error(Code::kLimit, "tokenize: found %zu ids, room for %zu", *num_ids, capacity), error);
}

dragoman_code dragoman_detokenize(const dragoman_model* model, dragoman_side side, const int32_t* ids, size_t num_ids,
                                  char* text, size_t capacity, size_t* text_bytes, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  if (text_bytes == nullptr) return report_null("text_bytes", error);
  if (ids == nullptr && num_ids > 0) return report_null("ids", error);
  if (text == nullptr && capacity > 0) return report_null("text", error);
  const text::Tokenizer& tokenizer = pipeline::tokenizer(model, side);
  const size_t max_bytes = tokenizer.max_decoded_bytes(num_ids);
  std::unique_ptr<char[]> all(new (std::nothrow) char[max_bytes + 1]);
  if (all == nullptr) {
    return report(Status::error(Code::kOutOfMemory, "detokenize: no memory for %zu ids", num_ids), error);
  }
  const Result<size_t> bytes = tokenizer.decode({ids, num_ids}, {all.get(), max_bytes});
  if (!bytes.ok()) return report(bytes.status(), error);
  *text_bytes = bytes.value();
  const size_t copied = *text_bytes < capacity ? *text_bytes : capacity;
  if (copied > 0) std::memcpy(text, all.get(), copied);
  if (*text_bytes <= capacity) return DRAGOMAN_OK;
  return report(Status::error(Code::kLimit, "detokenize: found %zu bytes, room for %zu", *text_bytes, capacity), error);
}

dragoman_code dragoman_piece(const dragoman_model* model, dragoman_side side, int32_t id, const char** piece,
                             size_t* piece_bytes, dragoman_error* error) {
  if (model == nullptr) return report_null("model", error);
  if (piece == nullptr || piece_bytes == nullptr) return report_null("piece", error);
  const text::Tokenizer& tokenizer = pipeline::tokenizer(model, side);
  if (id < 0 || static_cast<size_t>(id) >= tokenizer.num_ids()) {
    return report(
        Status::error(Code::kInvalidArgument, "piece: id %d is outside the vocabulary of %zu", id, tokenizer.num_ids()),
        error);
  }
  const std::string_view found = tokenizer.piece(id);
  *piece = found.data();
  *piece_bytes = found.size();
  return DRAGOMAN_OK;
}

}  // extern "C"
