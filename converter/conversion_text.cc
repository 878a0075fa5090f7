// What a model needs beside its network: tokenizers, settings for decoding, languages, the shortlist.
// Neighbours: conversion.h; the readers of vocabularies and settings do the work.
#include <algorithm>
#include <memory>
#include <utility>

#include "converter/conversion.h"
#include "converter/ctranslate2_text.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/marian_shortlist.h"
#include "converter/generation.h"
#include "converter/hugging_face_vocabulary.h"
#include "converter/languages.h"
#include "converter/marian_generation.h"
#include "converter/vocabulary.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr float kDefaultMaxLengthFactor = 3.0f;  // Marian's own default
constexpr uint32_t kShortlistMultiple = 8;       // Marian rounds a shortlist up to this

std::unique_ptr<schema::TokenizerT> store_side(Conversion& work, const TokenizerData& data, const char* prefix) {
  auto tokenizer = std::make_unique<schema::TokenizerT>();
  store_tokenizer(
      data, prefix,
      [&work](const std::string& name, ElementType type, const std::vector<uint64_t>& shape,
              std::span<const std::byte> bytes) { return work.store.add_bytes(name, type, shape, bytes); },
      *tokenizer);
  return tokenizer;
}

// Ids that decoding must never choose: the unknown token, and rows of the table that belong to no token.
void set_generation(Conversion& work, const TokenizerData& target) {
  auto generation = std::make_unique<schema::GenerationT>();
  generation->end_id = target.options.end_id;
  generation->unknown_id = target.options.unknown_id;
  if (target.options.unknown_id >= 0) generation->suppressed.push_back(target.options.unknown_id);
  for (uint32_t id = target.options.num_ids; id < work.facts.target_vocabulary; ++id) {
    generation->suppressed.push_back(static_cast<int32_t>(id));
  }
  generation->max_length_factor = kDefaultMaxLengthFactor;
  work.model->generation = std::move(generation);
}

Status add_tokenizers(Conversion& work) {
  const SourceFiles& files = work.files;
  const bool one_file = files.source_vocabulary == files.target_vocabulary;
  DRAGOMAN_ASSIGN_OR_RETURN(const TokenizerData source, read_vocabulary(files.source_vocabulary));
  DRAGOMAN_RETURN_IF_ERROR(
      check_vocabulary_size(files.source_vocabulary, "source", source.options.num_ids, work.facts.source_vocabulary));
  if (one_file && work.facts.source_vocabulary != work.facts.target_vocabulary) {
    return Status::error(Code::kInvalidArgument,
                         "%s: one vocabulary for both sides, but the model has %u source and %u "
                         "target rows",
                         files.source_vocabulary.c_str(), work.facts.source_vocabulary, work.facts.target_vocabulary);
  }
  work.model->source_tokenizer = store_side(work, source, "source_tokenizer");
  if (one_file) {
    set_generation(work, source);
    return Status();
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const TokenizerData target, read_vocabulary(files.target_vocabulary));
  DRAGOMAN_RETURN_IF_ERROR(
      check_vocabulary_size(files.target_vocabulary, "target", target.options.num_ids, work.facts.target_vocabulary));
  if (source.options.end_id != target.options.end_id) {
    return Status::error(Code::kUnsupported, "%s: end token %d, but %d in %s: they have to agree",
                         files.source_vocabulary.c_str(), source.options.end_id, target.options.end_id,
                         files.target_vocabulary.c_str());
  }
  work.model->target_tokenizer = store_side(work, target, "target_tokenizer");
  set_generation(work, target);
  return Status();
}

// OPUS-MT's tokenizers name the pair, or a group of languages, which is no name for a model's user.
void guess_pair(const Options& tokenizer_config, SourceFiles* files) {
  const auto guess = [&tokenizer_config](const char* key, std::string* language) {
    const auto at = tokenizer_config.find(key);
    if (language->empty() && at != tokenizer_config.end()) *language = single_language(at->second.text());
  };
  guess("source_lang", &files->source_language);
  guess("target_lang", &files->target_language);
}

void store_vocabulary(Conversion& work, const HuggingFaceVocabulary& vocabulary) {
  work.files.source_vocabulary = work.files.target_vocabulary = "";  // listed with the files that were read
  work.source_prefix = vocabulary.source_prefix;
  work.source_suffix = vocabulary.source_suffix;
  work.files.weights.insert(work.files.weights.end(), vocabulary.files.begin(), vocabulary.files.end());
  work.model->source_tokenizer = store_side(work, vocabulary.source, "source_tokenizer");
  if (vocabulary.target.has_value()) {
    work.model->target_tokenizer = store_side(work, *vocabulary.target, "target_tokenizer");
  }
}

// A Hugging Face model: settings for decoding, then the vocabularies.
Status add_hugging_face_text(Conversion& work) {
  work.model->generation = hugging_face_generation(work.source, work.facts, &work.report, &work.problems);
  DRAGOMAN_RETURN_IF_ERROR(work.problems.status(work.files.model));
  DRAGOMAN_ASSIGN_OR_RETURN(
      const HuggingFaceVocabulary vocabulary,
      read_hugging_face_vocabulary({work.files.model, work.source, work.facts, work.options.source_vocabulary},
                                   &work.report));
  store_vocabulary(work, vocabulary);
  const TokenizerData* target = vocabulary.target.has_value() ? &*vocabulary.target : &vocabulary.source;
  schema::GenerationT& generation = *work.model->generation;
  generation.unknown_id = vocabulary.has_unknown ? target->options.unknown_id : -1;
  DRAGOMAN_RETURN_IF_ERROR(add_languages(
      {work.files.model, work.source, vocabulary, work.options.source_language, work.options.target_language},
      work.model.get(), &work.report));
  guess_pair(vocabulary.tokenizer_config, &work.files);
  // Rows of the table that belong to no token.
  generation.num_token_ids = std::min(target->options.num_ids, work.facts.target_vocabulary);
  for (uint32_t id = target->options.num_ids; id < work.facts.target_vocabulary; ++id) {
    generation.suppressed.push_back(static_cast<int32_t>(id));
  }
  return Status();
}

Status check_end_token(const Conversion& work) {
  if (work.model->generation->end_id >= 0) return Status();
  return Status::error(Code::kUnsupported, "%s: has no end token </s>", work.files.target_vocabulary.c_str());
}

Status read_decoder_defaults(Conversion& work) {
  const MarianSettings settings{work.files.decoder_options, work.files.decoder_config, work.facts.alignment_layer};
  return read_marian_generation(settings, work.model->generation.get(), &work.report);
}

Status add_shortlist(Conversion& work) {
  const std::string& path = work.files.shortlist;
  if (path.empty()) {
    work.report.notes.push_back("no shortlist: every target token is scored at every step");
    return Status();
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  DRAGOMAN_ASSIGN_OR_RETURN(MarianShortlist list, read_marian_shortlist(file->bytes(), path));
  const size_t lists = list.offsets.size() - 1;
  if (lists > work.facts.source_vocabulary || work.facts.source_vocabulary - lists > kMaxPaddingRows) {
    return Status::error(Code::kInvalidArgument, "%s: %zu lists for %u source tokens: made for another vocabulary",
                         path.c_str(), lists, work.facts.source_vocabulary);
  }
  for (const uint32_t id : list.ids) {
    if (id >= work.facts.target_vocabulary) {
      return Status::error(Code::kDamaged, "%s: target id %u, but the model has %u", path.c_str(), id,
                           work.facts.target_vocabulary);
    }
  }
  list.offsets.resize(size_t{work.facts.source_vocabulary} + 1, list.offsets.back());
  auto shortlist = std::make_unique<schema::ShortlistT>();
  shortlist->offsets = work.store.add_vector("shortlist.offsets", ElementType::kU32, list.offsets);
  shortlist->ids = work.store.add_vector("shortlist.ids", ElementType::kU32, list.ids);
  shortlist->always = std::min(list.first, work.facts.target_vocabulary);
  shortlist->multiple = kShortlistMultiple;
  shortlist->copy_source = work.files.source_vocabulary == work.files.target_vocabulary;
  work.model->shortlist = std::move(shortlist);
  return Status();
}

Status add_ctranslate2_text(Conversion& work) {
  DRAGOMAN_ASSIGN_OR_RETURN(CTranslate2Text text,
                            read_ctranslate2_text(work.files, work.facts, &work.source, &work.report));
  store_vocabulary(work, text.vocabulary);
  work.model->generation = std::move(text.generation);
  // Without a token of its own, a language is the pair's, which files and options name.
  if (work.source.options.contains("model_type")) {
    DRAGOMAN_RETURN_IF_ERROR(add_languages(
        {work.files.model, work.source, text.vocabulary, work.options.source_language, work.options.target_language},
        work.model.get(), &work.report));
  }
  const schema::LanguageLayoutT* layout = work.model->language_layout.get();
  if (!text.start_is_language || (layout != nullptr && layout->start_is_target)) return Status();
  return Status::error(Code::kUnsupported,
                       "%s: config.json: decoder_start_token is null, and no language takes its place",
                       work.files.model.c_str());
}

Status add_marian_text(Conversion& work) {
  DRAGOMAN_RETURN_IF_ERROR(add_tokenizers(work));
  DRAGOMAN_RETURN_IF_ERROR(check_end_token(work));
  DRAGOMAN_RETURN_IF_ERROR(read_decoder_defaults(work));
  return add_shortlist(work);
}

// A model of one pair whose texts begin with ids of their own (BART's <s>): its layout, though no language has a token.
void add_ids_around_text(Conversion& work) {
  if (work.model->language_layout != nullptr || work.source_prefix.empty()) return;
  work.model->language_layout = std::make_unique<schema::LanguageLayoutT>();
  work.model->language_layout->source_prefix = work.source_prefix;
  work.model->language_layout->source_suffix = work.source_suffix;
}

Status add_text_of_layout(Conversion& work) {
  switch (work.files.layout) {
    case SourceLayout::kMarian: break;
    case SourceLayout::kHuggingFace: return add_hugging_face_text(work);
    case SourceLayout::kCTranslate2: return add_ctranslate2_text(work);
  }
  return add_marian_text(work);
}

}  // namespace

Status add_text(Conversion& work) {
  DRAGOMAN_RETURN_IF_ERROR(add_text_of_layout(work));
  add_ids_around_text(work);
  return Status();
}

}  // namespace dragoman::converter
